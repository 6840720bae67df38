import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync, gzipSync } from 'node:zlib'
import type { Closable } from '../src/env/async.ts'
import { createHostEnv } from '../src/host/env.ts'
import { exitOnUnexpectedErrors } from '../src/host/fatal.ts'
import { terminalSink } from '../src/host/log.ts'
import { createTerminal, exit, outputLeft } from '../src/host/terminal.ts'
import { newestRelease, releaseText } from '../src/model/release.ts'
import { runSimCli } from './cli/program.ts'
import { exits, LacksModules, type ScreenKind } from './cli/terminal.ts'
import { createCluster, describeCluster } from './library.ts'
import { codeWatch } from './platform/code-watch.ts'
import { loadCompiler } from './platform/compiler.ts'
import { cpuTimeVariable, reportCpuTime } from './platform/cpu-time.ts'
import { readPieces } from './platform/input.ts'
import { mutationSwitch } from './platform/mutation.ts'
import { createPlatform } from './platform/platform.ts'
import { createWorkshop, runChild, usualLimits } from './platform/program-copy.ts'
import { buildHash } from './platform/program-modules.ts'
import { readLines } from './platform/prompt.ts'
import { shippedLessons, shippedScenarios } from './platform/shipped-scenarios.ts'
import { createTextFile } from './platform/text-file.ts'
import { readWebFiles } from './platform/web-files.ts'
import { beat, sayPipe, workerArgument, workerPort } from './platform/worker-port.ts'
import { startWorker } from './platform/worker-process.ts'
import { createWorkplace } from './platform/workplace.ts'
import { serveSeeds } from './pool/serve.ts'

/** The exports of `svc/sim` for tests of other programs, in the same bundle as the command. */
export const library = { createCluster, describeCluster }

/** Runs `svc-sim` in this process, to its end. */
export async function main(_argv: readonly string[], revision?: string): Promise<never> {
  exitOnUnexpectedErrors('svc-sim', exits.internal)
  const [script = '', first, second] = process.argv.slice(1)
  const isWorker = first === workerArgument
  if (!isWorker && process.env[cpuTimeVariable] === '1') reportCpuTime()
  const env = createHostEnv({ logSink: terminalSink((text) => void process.stderr.write(text)), logLevel: 'error' })
  // Before the terminal, which ends with the code of a failed run if standard output cannot be written.
  endWithOutput()
  const terminal = createTerminal(env.log)
  // In a turn of the event loop of its own: at a module's top level, Node drains its queues in another order.
  await new Promise<void>((resolve) => setImmediate(resolve))
  if (isWorker) return await serve(Number(second))
  const root = fileURLToPath(new URL('../..', import.meta.url))
  return exit(
    await runSimCli(terminal.argv, {
      out: terminal.out,
      error: terminal.error,
      disk: env.disk,
      host: env,
      onSignal: terminal.onSignal,
      readPieces,
      outLeft: outputLeft,
      wallMs: () => performance.now(),
      createPlatform,
      createTextFile,
      gzip: gzipSync,
      pageTemplate: (name) =>
        brotliDecompressSync(readFileSync(join(root, 'dist', 'pages', `${name}.html.br`))).toString('utf8'),
      webFiles: () => readWebFiles(root, import.meta.url),
      playPage: () => playPage(join(root, 'dist', 'pages', 'play.html.br')),
      readLines,
      cpuMs,
      environment: terminal.environment,
      screen: screenKind(terminal.environment),
      every,
      buildHash: () => buildHash(root),
      cores: availableParallelism(),
      startWorker: (stallCpuMs) => startWorker({ script, stallCpuMs }),
      shippedScenarios: () => shippedScenarios(root, process.cwd()),
      shippedLessons: () => shippedLessons(root, process.cwd()),
      lessonsFolder: () => join(root, 'lessons'),
      libraryUrl: () => new URL('../../bin/sim.js', import.meta.url).href,
      runAnother: (argv, onLine) => runChild([script, ...argv], usualLimits, onLine),
      createWorkshop: () => {
        if (isSea()) throw new LacksModules()
        return createWorkshop(root)
      },
      workplace: createWorkplace(),
      loadCompiler,
      version: releaseText(newestRelease),
      build: revision ?? releaseText(newestRelease),
    }),
  )
}

/** Runs this process as a worker, until the process that started it closes its input. */
async function serve(stallCpuMs: number): Promise<never> {
  // A file of its own in the bundle, because its thread loads nothing else.
  const { watchWorker } = await import('./platform/worker-watch.ts')
  const port = workerPort(watchWorker(stallCpuMs, sayPipe, beat.cells))
  const wallMs = (): number => performance.now()
  await serveSeeds({ port, createPlatform, wallMs, cpuMs, mutation: mutationSwitch(), code: codeWatch() })
  return exit(0)
}

/**
 * `svc-sim run … | head -1`: without a reader, the command ends as if by SIGPIPE, and runs no further seeds. Its
 * workers end with it. On a full disk it ends with the code for a file that could not be written whole.
 */
function endWithOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'EPIPE') process.exit(exitOfBrokenPipe)
      if (stream === process.stdout) process.stderr.write(`standard output was not written whole (${cause.code})\n`)
      process.exit(exits.usage)
    })
  }
}

/** As a shell reports SIGPIPE: 128 plus its number. */
const exitOfBrokenPipe = 141

/** CPU time of all threads of this process, in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** `NO_COLOR` as defined by https://no-color.org: present and not empty. */
function screenKind(environment: ReadonlyMap<string, string>): ScreenKind {
  const isPlain = (environment.get('NO_COLOR') ?? '') !== '' || environment.get('TERM') === 'dumb'
  const { stdout, stderr } = process
  const isScreen = stderr.isTTY === true && environment.get('TERM') !== 'dumb'
  return { live: isScreen, columns: stderr.columns ?? 80, colour: stdout.isTTY === true && !isPlain }
}

function playPage(path: string): string | undefined {
  return existsSync(path) ? brotliDecompressSync(readFileSync(path)).toString('utf8') : undefined
}

function every(ms: number, call: () => void): Closable {
  const timer = setInterval(call, ms)
  timer.unref()
  return { close: () => clearInterval(timer) }
}
