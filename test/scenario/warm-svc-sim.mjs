import { fileURLToPath } from 'node:url'
import { loadBundle } from '../../bin/bundle.js'
import { bundleOf } from '../../bin/launch.js'
import './kept-workers.mjs'

/**
 * Runs one command of the built `svc-sim` after the other in this process, whose code is warm after the first: for each
 * message `{ args, cwd }` of the process that forked it the answer `{ exit, out, err }`. A command finds what a process
 * of its own would have, and what it writes, and the end of the process that it asks for, come here.
 */
const root = new URL('../../', import.meta.url)
const bundle = bundleOf('svc-sim', root)
const { main } =
  bundle === undefined ? await import(new URL('dist/sim/main.js', root).href) : loadBundle(fileURLToPath(bundle))
const program = fileURLToPath(new URL('bin/svc-sim.js', root))

/** What a command has added to an emitter is gone with its process: without this every command would leave some. */
function listenersOf(emitter) {
  return new Map(emitter.eventNames().map((name) => [name, emitter.rawListeners(name)]))
}

function removeNew(emitter, before) {
  for (const [name, listeners] of listenersOf(emitter)) {
    const old = before.get(name) ?? []
    for (const listener of listeners) if (!old.includes(listener)) emitter.removeListener(name, listener)
  }
}

function taken(stream, take) {
  const { write } = stream
  stream.write = (piece, ...rest) => {
    take(typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8'))
    const done = rest.at(-1)
    if (typeof done === 'function') process.nextTick(done)
    return true
  }
  return () => {
    stream.write = write
  }
}

async function run({ args, cwd }) {
  const emitters = [process, process.stdout, process.stderr]
  const before = emitters.map(listenersOf)
  const { exit } = process
  let [out, err] = ['', '']
  const giveBack = [
    taken(process.stdout, (text) => {
      out += text
    }),
    taken(process.stderr, (text) => {
      err += text
    }),
  ]
  process.argv.splice(1, process.argv.length, program, ...args)
  process.chdir(cwd)
  try {
    const code = await new Promise((resolve, reject) => {
      process.exit = (ended) => void resolve(ended ?? 0)
      main(args).catch(reject)
    })
    return { exit: code, out, err }
  } finally {
    process.exit = exit
    for (const give of giveBack) give()
    for (const [at, emitter] of emitters.entries()) removeNew(emitter, before[at])
  }
}

process.on('disconnect', () => process.exit(0))
let before = Promise.resolve()
process.on('message', ({ id, ...asked }) => {
  before = before.then(async () => process.send({ id, ...(await run(asked)) }))
})
