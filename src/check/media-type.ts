/** Owns the media type of a file, from its name and whether it is text. Never guesses from content. */
import mime from "mime/lite";
import { extensionOf } from "../model/path.ts";

/** What the type registry has wrong or lacks for files of skills: programs and data are text to read here. */
const OWN_TYPES: ReadonlyMap<string, string> = new Map([
  [".py", "text/x-python"],
  [".sh", "text/x-shellscript"],
  [".bash", "text/x-shellscript"],
  [".ts", "text/typescript"],
  [".mts", "text/typescript"],
  [".cts", "text/typescript"],
  [".tsx", "text/typescript"],
  [".cjs", "text/javascript"],
  [".jsx", "text/javascript"],
  [".toml", "application/toml"],
  [".jsonl", "application/jsonl"],
  [".yaml", "application/yaml"],
  [".yml", "application/yaml"],
  [".tsv", "text/tab-separated-values"],
  [".sql", "application/sql"],
  [".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  [".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  [".pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
]);

/** The media type of a file, without parameters. */
export function mediaTypeOf(path: string, isText: boolean): string {
  const extension = extensionOf(path);
  return OWN_TYPES.get(extension) ?? mime.getType(extension) ?? (isText ? "text/plain" : "application/octet-stream");
}
