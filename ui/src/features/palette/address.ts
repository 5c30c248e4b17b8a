/** A pull request that somebody names by its address. */
export interface PullAddress {
  /** Null where only `owner/repo#n` was written. */
  host: string | null;
  /** `owner/repo#n`. */
  key: string;
}

const NAME = "[A-Za-z0-9](?:[A-Za-z0-9._-]{0,99})";
const IN_SHORT = new RegExp(`^(${NAME}/${NAME})#([1-9][0-9]{0,9})$`);
const PATH = new RegExp(`^/(${NAME}/${NAME})/(?:pull|pulls|issues)/([1-9][0-9]{0,9})(?:/|$)`);

/** The pull request in `https://github.com/owner/repo/pull/7/files`, `github.com/owner/repo/pull/7` or `owner/repo#7`; null in anything else. */
export function parseAddress(text: string): PullAddress | null {
  const trimmed = text.trim();
  const short = IN_SHORT.exec(trimmed);
  if (short) return { host: null, key: `${short[1]}#${short[2]}` };
  const hasScheme = /^https?:\/\//i.test(trimmed);
  if (!hasScheme && !/^[\w.-]+(:\d+)?\/[^/]+\/[^/]+\/(pull|pulls|issues)\/\d/.test(trimmed)) return null;
  try {
    const { host, pathname } = new URL(hasScheme ? trimmed : `https://${trimmed}`);
    const found = PATH.exec(pathname);
    return found ? { host, key: `${found[1]}#${found[2]}` } : null;
  } catch {
    return null;
  }
}
