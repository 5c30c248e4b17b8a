import { db } from "./db";

export interface Profile {
  id: number;
  name: string;
  slug: string;
}

const bySlug = new Map<string, Profile>();

/** Finds a profile by the slug of its address; remembers it until it changes. */
export async function findBySlug(slug: string): Promise<Profile | undefined> {
  const known = bySlug.get(slug);
  if (known) return known;
  const found = await db.profiles.findOne({ slug });
  if (found) bySlug.set(slug, found);
  return found;
}

/** Gives a profile another name, and the slug that goes with it. */
export async function rename(profile: Profile, name: string): Promise<Profile> {
  const renamed = { ...profile, name, slug: name.trim().toLowerCase() };
  await db.profiles.update(profile.id, renamed);
  bySlug.set(renamed.slug, renamed);
  return renamed;
}

/** Removes a profile. */
export async function remove(profile: Profile): Promise<void> {
  await db.profiles.delete(profile.id);
  bySlug.delete(profile.slug);
}
