/** A stylesheet, minified by the build. */
declare module "*.css" {
  const css: string;
  // biome-ignore lint/style/noDefaultExport: this is how a text is imported.
  export default css;
}
