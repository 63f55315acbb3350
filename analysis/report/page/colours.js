// Colours by role and by place in a series, as custom properties of style.css, so that a change of
// theme needs no redrawing. The palette is Okabe and Ito's, which colour-blind readers tell apart;
// symbols repeat the distinction for print.
const kColours = 7;
const kSymbols = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolWye];

export const seriesColour = (place) => `var(--series-${place % kColours})`;

// Six symbols beside seven colours: no two of 42 series look alike. The star is the proposed cell's.
export const symbolPath = (place, size = 48) => d3.symbol().type(kSymbols[place % kSymbols.length]).size(size)();

/// Of a heat map: share from 0 to 1. Dark to light is low to high in both themes.
export const heatColour = (share) => d3.interpolateViridis(share);
export const heatText = (share) => (share > 0.55 ? "#111" : "#fff");
