/** Owns C's formats for numbers and texts (`%5.2f`); never reading arguments of a command. */

/** A text that would be larger than this is refused. */
const MOST_WIDTH = 1 << 20;

const SPEC = /%([-+ 0#']*)(\*|\d+)?(?:(\.)(\*|\d+)?)?(?:hh|h|ll|l|L|q|j|z|t)?([diouxXeEfFgGcs%])/g;

/** What stands for one conversion. */
export interface FormatArguments {
  number(): number;
  text(): string;
  /** What `%c` shows. */
  letter(): string;
}

/** A whole format with its values taken in order. */
export function formatAll(format: string, values: FormatArguments): string {
  const show = (_whole: string, flags: string, width = "", dot: string | undefined, digits = "", kind = "") => {
    if (kind === "%") {
      return "%";
    }
    const wide = width === "*" ? values.number() : Number(width);
    const precise = digits === "*" ? values.number() : dot === undefined ? -1 : Number(digits);
    const leftFlags = wide < 0 ? `${flags}-` : flags;
    if (kind === "s" || kind === "c") {
      const text = kind === "c" ? values.letter() : values.text();
      const shown = precise < 0 ? text : [...text].slice(0, precise).join("");
      return pad(shown, Math.abs(wide), leftFlags.replaceAll("0", ""));
    }
    return one(leftFlags, Math.abs(wide), precise, kind, values.number());
  };
  return format.replace(SPEC, show);
}

/** One number in one conversion. */
export function formatNumber(format: string, value: number): string {
  return formatAll(format, { number: () => value, text: () => String(value), letter: () => String(value) });
}

function one(flags: string, width: number, precision: number, kind: string, value: number): string {
  const digits = Math.min(precision < 0 ? 6 : precision, 100);
  const size = Math.abs(value);
  const sign = value < 0 || Object.is(value, -0) ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  if (!Number.isFinite(value)) {
    return pad(`${value < 0 ? "-" : ""}${Number.isNaN(value) ? "nan" : "inf"}`, width, flags.replaceAll("0", ""));
  }
  let body: string;
  switch (kind) {
    case "d":
    case "i":
    case "u":
      body = whole(size);
      break;
    case "o":
      body = BigInt(Math.trunc(size)).toString(8);
      break;
    case "x":
    case "X":
      body = `${flags.includes("#") && size >= 1 ? "0x" : ""}${BigInt(Math.trunc(size)).toString(16)}`;
      break;
    case "e":
    case "E":
      body = exponent(size.toExponential(digits));
      break;
    case "g":
    case "G":
      body = general(size, digits === 0 ? 1 : digits, flags);
      break;
    default:
      body = size >= 1e21 ? `${whole(size)}${digits > 0 ? `.${"0".repeat(digits)}` : ""}` : roundedToEven(size, digits);
  }
  const isWhole = "diuoxX".includes(kind);
  const filled = isWhole && precision > 0 ? body.padStart(Math.min(precision, MOST_WIDTH), "0") : body;
  const isNothing = isWhole && (filled === "0" || /^0+$/.test(filled));
  const shown = `${isNothing && sign === "-" ? "" : sign}${filled}`;
  return pad(
    /[XEG]/.test(kind) ? shown.toUpperCase() : shown,
    width,
    isWhole && precision >= 0 ? flags.replaceAll("0", "") : flags,
  );
}

/** Decimal places after which a number that any text of a script stands for has no digits of its own. */
const MOST_PLACES = 60;

/** As C rounds: what lies exactly in the middle becomes the even one. */
export function roundedToEven(value: number, digits: number): string {
  const up = value.toFixed(digits);
  const exactly = value.toFixed(Math.min(100, digits + MOST_PLACES));
  if (!exactly.includes(".") || !/^50*$/.test(exactly.slice(exactly.indexOf(".") + 1 + digits))) {
    return up;
  }
  const down = value.toFixed(digits + 1).replace(/\.?5$/, "");
  return /[02468]$/.test(down) ? down : up;
}

function whole(size: number): string {
  return size < 1e21 ? String(Math.trunc(size)) : BigInt(Math.trunc(size)).toString();
}

function exponent(text: string): string {
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

function general(size: number, digits: number, flags: string): string {
  if (size === 0) {
    return "0";
  }
  const scientific = size.toExponential(digits - 1);
  const power = Number(scientific.slice(scientific.indexOf("e") + 1));
  const text = power < -4 || power >= digits ? exponent(scientific) : size.toFixed(Math.max(0, digits - 1 - power));
  return flags.includes("#") || !text.includes(".") ? text : text.replace(/\.?0+(?=e|$)/, "");
}

function pad(text: string, width: number, flags: string): string {
  const missing = Math.min(width, MOST_WIDTH) - [...text].length;
  if (missing <= 0) {
    return text;
  }
  if (flags.includes("-")) {
    return text + " ".repeat(missing);
  }
  if (flags.includes("0")) {
    const [, sign = "", rest = ""] = /^([-+ ]?(?:0[xX])?)(.*)$/s.exec(text) ?? [];
    return sign + "0".repeat(missing) + rest;
  }
  return " ".repeat(missing) + text;
}
