import type { WebFiles } from '../terminal.ts'

/**
 * The script of the worker in which the simulator runs: the loader, and the files of the bundle as the bodies of
 * functions, which the loader calls when they are required. `build` names the program in traces. A function in
 * parentheses is compiled at once; without them V8 reads each body twice, first to find its end.
 */
export function simulatorScript({ entry, files, loader }: WebFiles, build: string): string {
  const bodies = [...files].map(
    ([name, text]) => `${JSON.stringify(name)}: (function (exports, require, module, Function, process) {${text}\n})`,
  )
  return `${loader}\nloader.load({\n${bodies.join(',\n')}\n}, ${JSON.stringify(entry)}).serve(self, ${JSON.stringify(build)})\n`
}
