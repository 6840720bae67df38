import { register } from 'node:module'

/** Far more than the whole program has. */
const countersMax = 1 << 18

/** What instrumented modules write to, and the loop reads. */
globalThis.svcFuzz = {
  counters: new Uint32Array(countersMax),
  /** Behind the last counter of a module that is loaded. */
  end: 0,
  /** Of each module that is loaded: which counters it has, and the words in it. */
  modules: [],
  endless() {
    throw new Error('a loop without an end')
  },
  loaded(first, counters, words) {
    this.end = Math.max(this.end, first + counters)
    this.modules.push({ first, end: first + counters, words })
  },
}
register('./load.mjs', import.meta.url)
const { runFuzzCli } = await import('./cli.ts')
process.exitCode = await runFuzzCli(process.argv.slice(2))
