import { textOf, utf8 } from '../../../base/bytes.ts'
import { formatDuration } from '../../../base/duration.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import type { HttpClientResponse } from '../../../env/http.ts'
import type { CheckProbe, CheckStatus } from '../../../model/catalog.ts'
import { critical, lastText, type Outcome, outputBytesMax } from './outcome.ts'

export type ContainerProbe = Extract<CheckProbe, { kind: 'container' }>

/** Limit of the runtime's own answers; the output of the program has a limit of its own. */
const answerBytesMax = 64 << 10

const statuses: Readonly<Record<string, CheckStatus>> = { 0: 'passing', 1: 'warning' }

/**
 * One run of a program inside a container: creates the exec in the runtime, starts it, and asks for its exit code.
 * Without a runtime the check is critical and names the address that was tried. Source: Docker Engine API, "Exec".
 * Reference: definitions.md#check-docker.
 */
export async function probeContainer(env: Env, runtime: string, probe: ContainerProbe): Promise<Outcome> {
  if (!runtime.startsWith('unix://')) {
    return critical(`cannot reach a container runtime at ${runtime}: only Unix sockets (unix://<path>) are supported`)
  }
  const exec = new Exec(env, runtime, probe)
  const output = await exec.run()
  return output.ok ? output.value : critical(output.error)
}

class Exec {
  readonly #env: Env
  readonly #runtime: string
  readonly #probe: ContainerProbe
  readonly #endMs: number

  constructor(env: Env, runtime: string, probe: ContainerProbe) {
    this.#env = env
    this.#runtime = runtime
    this.#probe = probe
    this.#endMs = env.clock.monoMs() + probe.timeoutMs
  }

  async run(): Promise<Result<Outcome, string>> {
    const id = await this.#create()
    if (!id.ok) return id
    const output = await this.#start(id.value)
    if (!output.ok) return output
    const exit = await this.#exitCode(id.value)
    return exit.ok ? ok({ status: statuses[exit.value] ?? 'critical', output: output.value }) : exit
  }

  async #create(): Promise<Result<string, string>> {
    const { container, argv } = this.#probe
    const asked = { AttachStdin: false, AttachStdout: true, AttachStderr: true, Tty: false, Cmd: argv }
    const answer = await this.#ask('POST', `/containers/${encodeURIComponent(container)}/exec`, asked, answerBytesMax)
    if (!answer.ok) return answer
    if (answer.value.status === 404) return err(`create exec failed for unknown container ${container}`)
    if (answer.value.status !== 201) return this.#refused('create', answer.value)
    const id = memberOf(answer.value, 'Id')
    return typeof id === 'string' && id !== ''
      ? ok(id)
      : err(`create exec: the answer of ${this.#runtime} has no exec ID`)
  }

  /**
   * With a terminal, both outputs come as plain bytes. Without one they come in frames, whose headers would be lost
   * where only the tail is kept.
   */
  async #start(id: string): Promise<Result<string, string>> {
    const target = `/exec/${encodeURIComponent(id)}/start`
    const answer = await this.#ask('POST', target, { Detach: false, Tty: true }, outputBytesMax)
    if (!answer.ok) return answer
    return answer.value.status === 200 ? ok(lastText(answer.value.body)) : this.#refused('start', answer.value)
  }

  async #exitCode(id: string): Promise<Result<string, string>> {
    const answer = await this.#ask('GET', `/exec/${encodeURIComponent(id)}/json`, undefined, answerBytesMax)
    if (!answer.ok) return answer
    if (answer.value.status !== 200) return this.#refused('inspect', answer.value)
    const code = memberOf(answer.value, 'ExitCode')
    return typeof code === 'number' ? ok(String(code)) : err(`inspect exec: ${this.#runtime} has no exit code`)
  }

  #refused(step: string, { status, body }: HttpClientResponse): Result<never, string> {
    const { container } = this.#probe
    if (status === 409) return err(`${step} exec failed since container ${container} is paused or stopped`)
    return err(`${step} exec failed for container ${container} with status ${status}: ${lastText(body).trim()}`)
  }

  async #ask(
    method: string,
    target: string,
    body: object | undefined,
    tailBytes: number,
  ): Promise<Result<HttpClientResponse, string>> {
    const timeoutMs = this.#endMs - this.#env.clock.monoMs()
    const tooLate = `Timed out (${formatDuration(this.#probe.timeoutMs)}) running check`
    if (timeoutMs <= 0) return err(tooLate)
    const answer = await this.#env.http.request(
      { host: this.#runtime, port: 0 },
      {
        method,
        target,
        headers: [
          ['Host', 'localhost'],
          ['Connection', 'close'],
          ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
        ],
        ...(body === undefined ? {} : { body: utf8(JSON.stringify(body)) }),
        timeoutMs,
        tailBytes,
      },
    )
    if (answer.ok) return answer
    if (answer.error.kind === 'timeout') return err(tooLate)
    const why = 'message' in answer.error ? answer.error.message : answer.error.kind
    return err(`cannot reach a container runtime at ${this.#runtime}: ${why}`)
  }
}

/** The runtime's answer; undefined if it is not a JSON object. The caller reports missing members. */
function memberOf({ body }: HttpClientResponse, name: string): unknown {
  try {
    const value: unknown = JSON.parse(textOf(body))
    return typeof value === 'object' && value !== null
      ? Object.entries(value).find(([key]) => key === name)?.[1]
      : undefined
  } catch {
    return undefined
  }
}
