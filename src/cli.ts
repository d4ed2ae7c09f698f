#!/usr/bin/env node
/** Owns the process of the command line: its arguments, its exit status. Nothing else exits. */
import process from "node:process";
import { main } from "./cli/main.ts";

process.exitCode = await main(process.argv.slice(2), process);
