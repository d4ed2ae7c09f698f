/** Owns the public entry "edge-skills/testing": contract suites for people who write sources and runners of their own. Knows no test runner. */
export { ContractBreach, type ContractCase } from "./testing/contract-case.ts";
export { CONTRACT_SCRIPTS, type ContractScript, contractScript } from "./testing/contract-scripts.ts";
export { type RunnerUnderContract, runnerContract } from "./testing/runner-contract.ts";
export { type SourceUnderContract, sourceContract } from "./testing/source-contract.ts";
