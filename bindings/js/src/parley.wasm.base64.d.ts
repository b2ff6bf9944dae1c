/** The module; written beside the compiled files by scripts/build.mjs. */
declare const moduleBase64: string;
export default moduleBase64;
