/** Packs a directory in a process of its own and prints how much memory that took at most, in bytes. */
import { packSkills } from "../../src/pack/pack.ts";

await packSkills({ roots: process.argv.slice(2) });
console.log(process.resourceUsage().maxRSS * 1024);
