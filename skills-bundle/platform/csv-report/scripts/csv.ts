/**
 * Reads CSV text (RFC 4180): quoted fields, doubled quotes, separators and line breaks in quotes, any line ending, a byte order mark.
 * It never guesses: a damaged line is an error that names the line. No script of its own; report.ts imports it.
 */

export interface CsvTable {
  readonly header: readonly string[];
  readonly rows: readonly CsvRow[];
}

export interface CsvRow {
  /** Where the row begins, counted from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

export class CsvError extends Error {}

/** A table of which every row has as many fields as the header. Blank lines are skipped. */
export function parseCsv(text: string, delimiter: string): CsvTable {
  const [head, ...rows] = splitRows(text.replace(/^\uFEFF/, ""), delimiter);
  if (head === undefined) {
    throw new CsvError("the table is empty; it needs a header line");
  }
  const header = head.fields.map((field) => field.trim());
  for (const row of rows) {
    if (row.fields.length !== header.length) {
      throw new CsvError(`line ${row.line}: ${row.fields.length} fields where the header has ${header.length}`);
    }
  }
  return { header, rows };
}

function splitRows(text: string, delimiter: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let fields: string[] = [];
  let field = "";
  let quoted = false; // the current field began with a quote
  let open = false; // and its closing quote has not come yet
  let line = 1;
  let start = 1;

  const endField = () => {
    fields.push(field);
    field = "";
    quoted = false;
  };
  const endRow = () => {
    const blank = fields.length === 0 && field === "" && !quoted;
    endField();
    if (!blank) {
      rows.push({ line: start, fields });
    }
    fields = [];
    start = line;
  };

  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    const lineEnd = char === "\n" || (char === "\r" && text.charAt(i + 1) !== "\n");
    if (lineEnd) {
      line++;
    }
    if (open) {
      if (char !== '"') {
        field += char;
      } else if (text.charAt(i + 1) === '"') {
        field += '"';
        i++;
      } else {
        open = false;
      }
    } else if (char === delimiter) {
      endField();
    } else if (lineEnd) {
      endRow();
    } else if (char === "\r") {
      // The line feed that follows ends the row.
    } else if (char === '"' && field === "" && !quoted) {
      quoted = true;
      open = true;
    } else if (quoted) {
      throw new CsvError(`line ${line}: text after a closing quote`);
    } else {
      field += char;
    }
  }
  if (open) {
    throw new CsvError(`line ${start}: a quote is never closed`);
  }
  if (fields.length > 0 || field !== "" || quoted) {
    endRow();
  }
  return rows;
}
