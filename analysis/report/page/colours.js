// Colors as custom properties of style.css, so that a change of theme needs no redrawing. The
// palette is Okabe and Ito's, for color-blind readers; symbols distinguish series in print.
const kColours = 7;
const kSymbols = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolWye];

export const seriesColour = (place) => `var(--series-${place % kColours})`;

// The star is reserved for the proposed cell.
export const symbolPath = (place, size = 48) => d3.symbol().type(kSymbols[place % kSymbols.length]).size(size)();

export const heatColour = (share) => d3.interpolateViridis(share);
export const heatText = (share) => (share > 0.55 ? "#111" : "#fff");
