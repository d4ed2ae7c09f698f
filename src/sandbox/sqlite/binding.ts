/** Owns how parameters reach a statement and how declared types are found; never rows. */
import { Refusal, received, type Sent } from "./answers.ts";
import type { Connection } from "./connection.ts";
import { SqlError } from "./engine.ts";
import { parameterNames, withoutParameters } from "./sql-text.ts";
import type { Statement } from "./statement.ts";

/** Parameters: by their places, or by their names without the first sign. */
export type Given = readonly Sent[] | Readonly<Record<string, Sent>>;

/** Gives a statement its parameters, by place or by name. Throws {@link Refusal} in the words of Python's module. */
export function bindAll(statement: Statement, given: Given): void {
  const count = statement.parameters;
  if (Array.isArray(given)) {
    const values = given as readonly Sent[];
    if (values.length !== count) {
      throw new Refusal(
        "ProgrammingError",
        `Incorrect number of bindings supplied. The current statement uses ${count}, and there are ${values.length} supplied.`,
      );
    }
    values.forEach((value, i) => {
      statement.bind(i + 1, received(value, String(i + 1)));
    });
    return;
  }
  const names = new Map(
    count === 0 ? [] : parameterNames(statement.sql).map((name) => [statement.parameter(name), name]),
  );
  for (let at = 1; at <= count; at++) {
    const name = names.get(at);
    if (name === undefined) {
      throw new Refusal(
        "ProgrammingError",
        `Binding ${at} has no name, but you supplied a dictionary (which has only names).`,
      );
    }
    const key = name.slice(1);
    if (!Object.hasOwn(given, key)) {
      throw new Refusal("ProgrammingError", `You did not supply a value for binding parameter :${key}.`);
    }
    statement.bind(at, received((given as Readonly<Record<string, Sent>>)[key] ?? null, String(at)));
  }
}

const VIEW = "temp.[ sandbox types ]";

/** The declared types of a query's columns, or null. The engine tells them of a view only. */
export function typesOf(connection: Connection, sql: string): (string | null)[] | null {
  try {
    connection.run(`CREATE TEMP VIEW [ sandbox types ] AS ${withoutParameters(sql).replace(/[\s;]+$/, "")}`);
  } catch (error) {
    if (error instanceof SqlError) {
      return null;
    }
    throw error;
  }
  try {
    const { statement } = connection.prepare("SELECT type FROM pragma_table_info(' sandbox types ')");
    const types: (string | null)[] = [];
    while (statement?.step()) {
      const [type] = statement.row();
      types.push(typeof type === "string" ? type : null);
    }
    if (statement !== null) {
      connection.finish(statement);
    }
    return types;
  } finally {
    connection.run(`DROP VIEW ${VIEW}`);
  }
}
