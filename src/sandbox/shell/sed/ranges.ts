/** Owns which lines a sed command is for; never what it does. */
import type { Matcher } from "./expression.ts";
import type { Address, Command } from "./script.ts";

/** Where the script is. */
interface Place {
  number(): number;
  isLast(): boolean;
  /** Null: the expression that was used last. */
  matches(regex: Matcher | null): boolean;
}

export class Ranges {
  readonly #place: Place;
  /** Ranges that have begun, and the line they end at. */
  readonly #open = new Map<Command, number | "open">();

  constructor(place: Place) {
    this.#place = place;
  }

  isOpen(command: Command): boolean {
    return this.#open.has(command);
  }

  applies(command: Command): boolean {
    const { from, to } = command;
    if (from === null) {
      return true;
    }
    if (to === null) {
      return this.#fits(from);
    }
    const end = this.#open.get(command);
    if (end === undefined) {
      const isFromZero = from.type === "line" && from.line === 0;
      if (!(isFromZero ? this.#place.number() === 1 : this.#fits(from))) {
        return false;
      }
      if (isFromZero && this.#fits(to)) {
        return true;
      }
      const until = this.#endOf(to);
      if (until === "open" || until > this.#place.number()) {
        this.#open.set(command, until);
      }
      return true;
    }
    if (end === "open" ? this.#fits(to) : this.#place.number() >= end) {
      this.#open.delete(command);
    }
    return true;
  }

  /** The line a range ends at, if that can be said where it begins. */
  #endOf(to: Address): number | "open" {
    switch (to.type) {
      case "line":
        return to.line;
      case "plus":
        return this.#place.number() + to.count;
      case "multiple":
        return to.of === 0 ? this.#place.number() : Math.ceil(this.#place.number() / to.of) * to.of;
      case "last":
        return this.#place.isLast() ? this.#place.number() : "open";
      default:
        return "open";
    }
  }

  #fits(address: Address): boolean {
    switch (address.type) {
      case "line":
        return this.#place.number() === address.line;
      case "last":
        return this.#place.isLast();
      case "step":
        return address.step === 0
          ? this.#place.number() === address.first
          : this.#place.number() >= address.first && (this.#place.number() - address.first) % address.step === 0;
      case "regex":
        return this.#place.matches(address.regex);
      default:
        return false;
    }
  }
}
