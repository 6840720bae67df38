import { concatBytes, emptyBytes, textOf } from '../../base/bytes.ts'
import { ApiClient, clientFlags, failed, misused, surplusOperands, unexpectedText } from '../api/client.ts'
import type { CliCommand } from '../command.ts'

export const monitorCommand: CliCommand = {
  path: ['monitor'],
  summary: 'Stream logs from an agent',
  operands: '',
  about: 'Begins with the most recent lines. Runs until it is interrupted; exits with 1 when the agent ends it.',
  flags: [
    {
      name: 'log-level',
      kind: 'text',
      value: '<level>',
      help: 'Minimum level of the lines shown: trace, debug, info, warn or err. Default: info.',
    },
    ...clientFlags,
  ],
  async run(invocation) {
    const { env, flags, terminal } = invocation
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const level = flags.get('log-level')
    const query = typeof level === 'string' ? [['loglevel', level] as const] : []
    const interrupted = env.deferred<undefined>()
    const signals = (['SIGINT', 'SIGTERM'] as const).map((signal) =>
      terminal.onSignal(signal, () => interrupted.resolve(undefined)),
    )
    const lines = new WholeLines((text) => terminal.out(text))
    const path = '/v1/agent/monitor'
    const onBody = (piece: Uint8Array): void => lines.push(piece)
    const asked = new ApiClient(invocation).send('GET', path, query, undefined, { onBody })
    const answer = await Promise.race([asked, interrupted.promise])
    for (const signal of signals) signal.close()
    if (answer === undefined) return 0
    if (answer.ok && answer.value.status !== 200) {
      return failed(invocation, `Error starting monitor: ${unexpectedText(answer.value)}`)
    }
    if (!answer.ok && !lines.begun) return failed(invocation, `Error starting monitor: ${answer.error}`)
    return failed(invocation, 'The agent ended the monitor: it has stopped or crashed')
  },
}

/** A longer line is passed on in pieces, as it arrives. */
const lineBytesMax = 1 << 20

/** Pieces of a stream can end anywhere, also within a character; everything passed on ends with a line. */
class WholeLines {
  begun = false
  readonly #use: (text: string) => void
  #rest: Uint8Array = emptyBytes

  constructor(use: (text: string) => void) {
    this.#use = use
  }

  push(piece: Uint8Array): void {
    this.begun = true
    const all = concatBytes([this.#rest, piece])
    const end = all.lastIndexOf(0x0a) + 1
    const passed = end === 0 && all.length > lineBytesMax ? all.length : end
    if (passed > 0) this.#use(textOf(all.subarray(0, passed)))
    this.#rest = all.slice(passed)
  }
}
