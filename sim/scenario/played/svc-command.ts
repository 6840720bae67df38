import { utf8 } from '../../../src/base/bytes.ts'
import { err, ok } from '../../../src/base/result.ts'
import { runCli } from '../../../src/cli/program.ts'
import type { Closable } from '../../../src/env/async.ts'
import type { Env } from '../../../src/env/env.ts'
import type { HttpClientRequest } from '../../../src/env/http.ts'
import type { Endpoint } from '../../../src/env/net.ts'
import type { Signal, Terminal } from '../../../src/env/terminal.ts'

/** What a command has come to. */
export interface CommandEnded {
  readonly code: number
  readonly out: string
  readonly error: string
}

interface CommandGiven {
  readonly args: readonly string[]
  readonly input?: string | undefined
  readonly request: (env: Env, at: Endpoint, request: HttpClientRequest) => ReturnType<Env['http']['request']>
}

/** A command that has not ended after this much virtual time is interrupted, as by Ctrl-C; and again until it ends. */
const interruptedAfterMs = 60_000
/** Characters of either output that are kept; the rest is counted. */
const outputMax = 1 << 20

/** Commands that need a machine of their own, not only an agent to ask. */
const notHere: readonly string[] = ['agent']

/** Runs one command line of `svc` against the HTTP interface of an agent, in virtual time. */
export async function runCommand(
  env: Env,
  to: Endpoint,
  { args, input, request }: CommandGiven,
): Promise<CommandEnded> {
  const [command = ''] = args
  if (notHere.includes(command)) return { code: 1, out: '', error: `svc ${command} cannot run in a simulation\n` }
  const terminal = new PlayedTerminal(args, to, input)
  const interrupt = (): Closable =>
    env.timers.after(
      interruptedAfterMs,
      () => {
        timer = interrupt()
        terminal.interrupt()
      },
      'played.command',
    )
  let timer = interrupt()
  const http: Env['http'] = {
    serve: (...listener) => env.http.serve(...listener),
    requestHttp2: (...asked) => env.http.requestHttp2(...asked),
    request: (at, asked) => request(env, at, asked),
  }
  const code = await runCli(args, { ...env, http }, terminal.terminal)
  timer.close()
  return { code, out: terminal.out.text, error: terminal.error.text }
}

class Output {
  #text = ''
  #left = 0

  write(text: string): void {
    const room = outputMax - this.#text.length
    this.#text += text.slice(0, room)
    this.#left += Math.max(0, text.length - room)
  }

  get text(): string {
    return this.#left === 0 ? this.#text : `${this.#text}\n(${this.#left} more characters)\n`
  }
}

class PlayedTerminal {
  readonly out = new Output()
  readonly error = new Output()
  readonly terminal: Terminal
  readonly #interrupted = new Set<() => void>()

  constructor(argv: readonly string[], { host, port }: Endpoint, input = '') {
    this.terminal = {
      argv,
      programName: 'svc',
      environment: new Map([['SVC_HTTP_ADDR', `${host}:${port}`]]),
      interactive: false,
      out: (text) => this.out.write(text),
      error: (text) => this.error.write(text),
      readInput: () => Promise.resolve(ok(utf8(input))),
      onSignal: (signal, use) => this.#onSignal(signal, use),
      startChild: ([program]) =>
        Promise.resolve(err({ kind: 'not-found', program, message: 'no program can be started in a simulation' })),
      showLog: () => undefined,
      openLog: () => ok(undefined),
      reopenLog: () => undefined,
      holdPidFile: () => ok({ close: () => undefined }),
    }
  }

  interrupt(): void {
    for (const use of [...this.#interrupted]) use()
  }

  #onSignal(signal: Signal, use: () => void): Closable {
    if (signal === 'SIGINT') this.#interrupted.add(use)
    return { close: () => void this.#interrupted.delete(use) }
  }
}
