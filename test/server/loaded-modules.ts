import { registerHooks } from "node:module";

/*
 * For `--import`: the process tells who started it of every module that it loads, and answers
 * "asked" to whatever it is sent.
 */
registerHooks({
  load: (url, context, next) => {
    process.send?.(url);
    return next(url, context);
  },
});
process.on("message", () => process.send?.("asked"));
process.channel?.unref();
