// Formats numbers like core/format.cpp.
const kMissing = "–";
const kSeconds = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
const kBytes = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]];
const kRoundsUp = 0.9995;

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

function thousands(value) {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

export function formatNumber(value) {
  if (!isNumber(value)) return kMissing;
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 99.95) return thousands(value);
  if (size >= 9.995) return value.toFixed(1);
  if (size >= kRoundsUp) return value.toFixed(2);
  return Number(value.toPrecision(3)).toString();
}

function scaled(value, scales) {
  const [factor, suffix] =
    scales.find(([scale]) => Math.abs(value) >= kRoundsUp * scale) ?? scales[scales.length - 1];
  return `${formatNumber(value / factor)} ${suffix}`;
}

function formatCount(value) {
  return Number.isInteger(value) ? thousands(value) : formatNumber(value);
}

export function formatValue(value, unit) {
  if (!isNumber(value)) return kMissing;
  switch (unit) {
    case "s": return value === 0 ? "0 s" : scaled(value, kSeconds);
    case "bytes": return value < kRoundsUp * 1e3 ? `${formatCount(value)} B` : scaled(value, kBytes);
    case "samples/s": return `${formatNumber(value)}/s`;
    case "ratio": return `${(100 * value).toFixed(1)} %`;
    case "count": return formatCount(value);
    case "verdict": return value === 1 ? "pass" : "fail";
    default: return formatNumber(value);
  }
}

export function tickText(unit) {
  return (value) => {
    if (value === 0) return "0";
    if (unit === "s" || unit === "bytes") {
      const scales = unit === "s" ? kSeconds : kBytes;
      const [factor, suffix] = scales.find(([scale]) => Math.abs(value) >= 0.999 * scale) ?? scales[scales.length - 1];
      return `${Number((value / factor).toPrecision(6))} ${suffix}`;
    }
    if (unit === "ratio") return `${Number((100 * value).toPrecision(4))} %`;
    if (Math.abs(value) >= 1e6) return `${Number((value / 1e6).toPrecision(4))}M`;
    if (Math.abs(value) >= 1e4) return `${Number((value / 1e3).toPrecision(4))}k`;
    return `${Number(value.toPrecision(6))}`;
  };
}
