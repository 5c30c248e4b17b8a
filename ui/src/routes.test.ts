import { expect, test } from "vitest";
import { hrefOf, numberOf, parseRoute, repoOf, type Destination, type RouteAction } from "./routes";

test("an address leads to the place it was made for", () => {
  const check = (address: string, destination: Destination, show: string | null = null, action: RouteAction | null = null) => {
    expect(parseRoute(address)).toEqual({ destination, show, action });
    expect(hrefOf(destination, show, action)).toBe(address);
  };
  check("#/", { page: "home" });
  check("#/needs-you", { page: "needs-you" });
  check("#/ready?show=acme%2Fapi%23480", { page: "ready" }, "acme/api#480");
  check("#/repo/acme/api?show=acme%2Fapi%23480&ask=merge", { page: "repo", repo: "acme/api" }, "acme/api#480", "merge");
  check("#/settings/bots", { page: "settings", group: "bots" });
});

test("an address nobody understands leads to the first page", () => {
  for (const address of ["", "#", "#/nowhere", "#/repo/acme", "#/repo/a/b/c", "#/?ask=delete", "#/%"]) {
    expect(parseRoute(address)).toEqual({ destination: { page: "home" }, show: null, action: null });
  }
});

test("a key names its repository and its number", () => {
  expect([repoOf("acme/api#480"), numberOf("acme/api#480")]).toEqual(["acme/api", 480]);
  expect(repoOf("acme/api")).toBe("acme/api");
});
