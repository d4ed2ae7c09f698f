#!/usr/bin/env node
/**
 * Works out when a shipped device of Voltbench arrives, by class and zone, from references/shipping-classes.json.
 * Delivery days are Monday to Friday. Exit status: 0 done, 2 the call was wrong or the class does not go there.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const USAGE = `usage: estimate-delivery.js --class parcel|battery|large --zone east|central|west|islands --shipped YYYY-MM-DD [--json]
Works out the delivery window of a shipped device.
example: estimate-delivery.js --class large --zone west --shipped 2026-11-20`;

const ZONES = ["east", "central", "west", "islands"];

class UsageError extends Error {}

function readArguments(argv) {
  const text = { type: "string" };
  const options = { class: text, zone: text, shipped: text, json: { type: "boolean" }, help: { type: "boolean", short: "h" } };
  try {
    return parseArgs({ args: argv, options }).values;
  } catch (error) {
    throw new UsageError(error.message);
  }
}

function oneOf(value, flag, choices) {
  if (!choices.includes(value)) {
    throw new UsageError(`${value === undefined ? `--${flag} is missing` : `--${flag} "${value}" is unknown`}; one of: ${choices.join(" ")}`);
  }
  return value;
}

/** Dates are days in UTC: no time zone of the machine has a say. */
function readDate(text) {
  const day = new Date(`${text}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text ?? "") || Number.isNaN(day.getTime()) || isoDate(day) !== text) {
    throw new UsageError(`--shipped ${text === undefined ? "is missing" : `"${text}" is not a date`}; write it as YYYY-MM-DD`);
  }
  return day;
}

function isoDate(day) {
  return day.toISOString().slice(0, 10);
}

function addDeliveryDays(from, count) {
  const day = new Date(from);
  for (let left = count; left > 0; ) {
    day.setUTCDate(day.getUTCDate() + 1);
    if (day.getUTCDay() !== 0 && day.getUTCDay() !== 6) {
      left--;
    }
  }
  return isoDate(day);
}

function run(argv) {
  const args = readArguments(argv);
  if (args.help) {
    return USAGE;
  }
  const classes = JSON.parse(readFileSync(new URL("../references/shipping-classes.json", import.meta.url), "utf8"));
  const name = oneOf(args.class, "class", Object.keys(classes));
  const zone = oneOf(args.zone, "zone", ZONES);
  const shipped = readDate(args.shipped);
  const { carrier, appointment, delivery_days } = classes[name];
  const days = delivery_days[zone];
  if (days === undefined) {
    throw new UsageError(`no ${name} shipping to ${zone}`);
  }
  const [first, last] = days.map((count) => addDeliveryDays(shipped, count));
  if (args.json) {
    return JSON.stringify({ class: name, zone, shipped: args.shipped, first, last, delivery_days: days, carrier, appointment });
  }
  const how = appointment ? `${carrier}, by appointment` : carrier;
  return `${name} to ${zone}, shipped ${args.shipped}: ${first} to ${last} (${days.join(" to ")} delivery days, ${how})`;
}

try {
  console.log(run(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof UsageError)) {
    throw error;
  }
  console.error(`estimate-delivery.js: ${error.message}`);
  process.exitCode = 2;
}
