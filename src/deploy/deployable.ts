/** Owns what of a layer is deployed or moved. Types only. */
import type { PackedBundle } from "./target.ts";

/** A packed layer, as a deploy needs it. */
export type DeployableLayer = PackedBundle;

/** A layer whose bundle is stored already. */
export interface MovableLayer extends Pick<DeployableLayer, "name" | "digest"> {
  /** Default: that of the options. */
  readonly commit?: string | null;
}
