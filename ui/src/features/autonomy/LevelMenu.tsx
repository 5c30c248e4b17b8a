import * as Radix from "@radix-ui/react-dropdown-menu";
import { Check, ChevronDown } from "lucide-react";
import { useAnswer, useCommand, useMayWrite, useRights, type Problem } from "../../data";
import type { Autonomy } from "../../generated/wire";
import { useText } from "../../i18n";
import { LEVELS, levelIcons } from "./levels";

interface LevelMenuProps {
  repo: string;
  /** How far Collie goes by itself now; for a pull request that may be less than for its repository. */
  level: Autonomy;
  onProblem: (problem: Problem) => void;
}

/** How far Collie goes by itself in a repository, and the way to change it (§13.7). */
export function LevelMenu({ repo, level, onProblem }: LevelMenuProps) {
  const t = useText();
  const command = useCommand();
  const { data } = useAnswer({ command: "repositories" });
  const ofRepository = data?.find(({ name }) => name === repo)?.autonomy ?? level;
  const choose = (next: string) => {
    const chosen = LEVELS.find((known) => known === next);
    if (chosen === undefined || chosen === ofRepository) return;
    command.run({ command: "set_autonomy", args: { repo, level: chosen } }).catch(onProblem);
  };
  const chip = t("autonomy-chip", { level });
  const Icon = levelIcons[level];
  const { operate } = useRights();
  const mayWrite = useMayWrite(repo);
  if (!operate || !mayWrite) {
    return (
      <span className="inline-flex items-center gap-1 align-top" title={t(`autonomy-${level}-text`)}>
        <Icon aria-hidden className="size-3.5 text-faint" />
        {chip}
      </span>
    );
  }
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger
        aria-label={t("autonomy-menu", { repo, chip })}
        disabled={command.pending}
        className="-mx-1 inline-flex h-[1lh] shrink-0 items-center gap-1 rounded-md px-1 align-top hover:bg-hover disabled:opacity-60"
      >
        <Icon aria-hidden className="size-3.5 text-faint" />
        {chip}
        <ChevronDown aria-hidden className="size-3.5 text-faint" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content align="end" sideOffset={4} collisionPadding={8} className="appear z-50 w-72 rounded-lg border border-transparent bg-panel p-1 shadow-float outline-none">
          <Radix.Label className="px-2 py-1 text-sm text-faint">{t("autonomy-of", { repo })}</Radix.Label>
          <Radix.RadioGroup value={ofRepository} onValueChange={choose}>
            {LEVELS.map((known) => (
              <Radix.RadioItem
                key={known}
                value={known}
                className="flex items-start gap-2 rounded-md px-2 py-1.5 outline-none data-highlighted:bg-hover"
              >
                <span className="grid size-4 shrink-0 place-items-center pt-1">
                  <Radix.ItemIndicator>
                    <Check aria-hidden className="size-4" />
                  </Radix.ItemIndicator>
                </span>
                <span className="min-w-0">
                  <span className="block font-medium">{t(`autonomy-${known}`)}</span>
                  <span className="block text-sm text-dim">{t(`autonomy-${known}-text`)}</span>
                </span>
              </Radix.RadioItem>
            ))}
          </Radix.RadioGroup>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
