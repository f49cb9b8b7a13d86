/** What the examples of the API reference name: a thing has the same id in all of them. */
export const example = {
  user: "eu_9f86d081-884c-7d65-9a2f-eaa0c55ad015",
  event: "ev_019bc186-de00-7a10-8c55-3d2a1b0c9e8f",
  goal: "goal_019bc186-de00-79bb-ade5-900ea15d404a",
  campaign: "cmp_019bc186-de00-730f-8ef3-c275ce72ed99",
  variant: "var_019bc186-de00-7e21-9d0c-1fa04a6c7b55",
  delivery: "del_Wm9v2Jq0T4yQ1k8uXc7bD5eF6gH3iL2mN0pR4sT8vYz",
  segment: "seg_019bc186-de00-7c33-8b2e-0d1c2b3a4f5e",
  audienceVersion: "aud_019bc186-de00-7d44-9e3f-1a2b3c4d5e6f",
  run: "run_019bc186-de00-7b42-9c1d-7e6f5a4b3c2d",
  proposal: "prop_019bc186-e1a4-7c9f-9d2c-5a0c3f1b7e42",
  ref: "ref_019bc186-de00-7f55-8a6b-4c3d2e1f0a9b",
  /** A commit of a repository. */
  commit: "0123456789abcdef0123456789abcdef01234567",
  /** A SHA-256 in hex. */
  hash: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
};
