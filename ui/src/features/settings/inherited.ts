import type { AgentSetting, ModelOptions, SettingField } from "../../generated/wire";
import type { Draft } from "./draft";

/** What may be said of a model, and who may take over from it. */
export type ModelFieldValues = ModelOptions & { fallback?: string[] };

/** What holds for a persona of which nothing else is said: the model for all, and the agents. */
export interface ModelDefaults {
  llm: ModelFieldValues;
  /** The name of that model; none while none is chosen. */
  model: string | null;
  agents: AgentSetting[];
}

/** What was said of the model for all and of agents, with what is not saved yet. A default of ours is no word of anybody's. */
export function modelDefaults(fields: SettingField[], draft: Draft): ModelDefaults {
  const llm: Record<string, unknown> = {};
  for (const field of fields) {
    const key = field.key.startsWith("llm.") ? field.key.slice("llm.".length) : null;
    const said = field.source !== "default" || draft.isChanged(field);
    const value = draft.valueOf(field);
    if (key === null || key === "model" || !said || value === null || (Array.isArray(value) && value.length === 0)) continue;
    llm[key] = value;
  }
  const agents = fields.find((field) => field.kind.type === "agents");
  const model = fields.find((field) => field.key === "llm.model");
  const name = model && draft.valueOf(model);
  return { llm: llm as ModelFieldValues, model: typeof name === "string" ? name : null, agents: agents ? (draft.valueOf(agents) as AgentSetting[]) : [] };
}

/** Whether a persona's model is another provider's than the one for all. */
export const isElsewhere = (all: ModelFieldValues, own: ModelFieldValues): boolean => own.provider !== undefined && own.provider !== all.provider;

/** What a persona's model takes of the one for all (`LlmLayer::apply`): another provider has another address, key, headers and efforts. */
export function inheritedOf(all: ModelFieldValues, own: ModelFieldValues): ModelFieldValues {
  const { url, headers, key_variable, key_command, effort, ...kept } = all;
  const of = isElsewhere(all, own) ? {} : { url, headers, key_variable, key_command, effort };
  const inherited: Record<string, unknown> = { ...kept, ...of };
  if (own.key_variable !== undefined) delete inherited.key_command;
  return inherited as ModelFieldValues;
}
