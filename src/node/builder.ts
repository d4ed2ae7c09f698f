/** Owns the builder as Node has it: with skills on the disk, and callers that wait for one fetch together. Adds nothing else. */
import { AgentSkillsProviderBuilder as Builder } from "../provider/builder.ts";
import { AgentFileSkillsSource, type FileSourceOptions } from "./file-source.ts";

/**
 * The builder with file skills.
 *
 * @example
 * const provider = new AgentSkillsProviderBuilder()
 *   .useFileSkills(["./skills", "./team-skills"])
 *   .useFileScriptRunner(runner)
 *   .build();
 */
export class AgentSkillsProviderBuilder extends Builder {
  constructor() {
    super();
    this.useCachingOptions({ singleFlight: "shared" });
  }

  /** Adds the skills below a directory, or the one that it is. */
  useFileSkill(path: string, options: FileSourceOptions = {}): this {
    return this.useFileSkills([path], options);
  }

  /** Adds the skills below directories; earlier ones count where names repeat. A runner given here is for these skills only. */
  useFileSkills(paths: Iterable<string>, options: FileSourceOptions = {}): this {
    const directories = [...paths];
    return this.useSource(
      ({ runner, loggerFor }) =>
        new AgentFileSkillsSource(directories, { logger: loggerFor("files"), runner, ...options }),
    );
  }
}
