import { Eye, MessageCircleQuestion, Upload, type LucideIcon } from "lucide-react";
import type { Autonomy } from "../../generated/wire";

/** How far Collie goes by itself, the strictest first. */
export const LEVELS: readonly Autonomy[] = ["observe", "ask", "push"];

/** A form of its own for each: they are told apart without colour. */
export const levelIcons: Record<Autonomy, LucideIcon> = { observe: Eye, ask: MessageCircleQuestion, push: Upload };
