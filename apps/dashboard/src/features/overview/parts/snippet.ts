/** The lines that a page needs, with the publishable key of the project. */
export const snippetOf = (key: string): string =>
  `<script async src="${location.origin}/tidings.js" data-key="${key}"></script>
<script>
  (window.tidings ??= []).push(["identify", "ada", { plan: "free" }]);
</script>`;
