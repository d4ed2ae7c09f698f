/** Owns the model of what a fleet's children cost at Cloudflare, which docs/costs.md describes; never asks anybody for a price. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Isolation } from "../src/model/run.ts";

/** Prices of Dynamic Workers: developers.cloudflare.com/dynamic-workers/pricing, as read on 2026-11-30 (billed since 2026-05-26). */
export const PRICES = {
  /** Unique Dynamic Workers a month that the Workers Paid plan includes. */
  included: 1_000,
  /** US dollars for each beyond them. An id counts once a day, a child without an id once a run. */
  each: 0.002,
};

/** One kind of JavaScript script, as it is used on one day. */
export interface ScriptUse {
  readonly isolation: Isolation;
  /** Tenants that run it. */
  readonly tenants: number;
  /** Scripts of this kind that each of them runs. */
  readonly scripts: number;
  /** Verified actors of each tenant that run each of them; counts for `actor` only. */
  readonly actors: number;
  /** Runs of each script by each tenant. */
  readonly runs: number;
}

export interface Fleet {
  /** Tenants that run Python or shell on a day: all their runs share boxes. */
  readonly boxTenants: number;
  /** Boxes that a tenant's runs need at one time: as many as their declared memory fills, 128 MiB each. */
  readonly boxes: number;
  readonly javascript: readonly ScriptUse[];
}

/** Unique Dynamic Workers of a day. */
export function childrenPerDay({ boxTenants, boxes, javascript }: Fleet): number {
  return javascript.reduce((sum, use) => sum + childrenOf(use), boxTenants * boxes);
}

/** A script has no more children than runs, whatever may share them. */
function childrenOf({ isolation, tenants, scripts, actors, runs }: ScriptUse): number {
  const each = { run: runs, actor: Math.min(actors, runs), tenant: Math.min(1, runs) }[isolation];
  return tenants * scripts * each;
}

/** US dollars for a month of such days. */
export function dollarsPerMonth(fleet: Fleet, days = 30): number {
  return Math.max(0, childrenPerDay(fleet) * days - PRICES.included) * PRICES.each;
}

/** The example of docs/costs.md. */
export function exampleFleet(isolation: Isolation): Fleet {
  const use = { isolation, tenants: 50, scripts: 4, actors: 10, runs: 100 };
  return { boxTenants: 50, boxes: 1, javascript: [use] };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const isolation of ["run", "actor", "tenant"] as const) {
    const fleet = exampleFleet(isolation);
    console.log(`${isolation}: ${childrenPerDay(fleet)} a day, $${dollarsPerMonth(fleet).toFixed(2)} a month`);
  }
}
