import { parseDuration } from '../../../src/base/duration.ts'
import { nearest } from '../../../src/base/edit-distance.ts'
import { noAnswerWords } from '../../play/answer-words.ts'
import { type PlayStatus, rateMax, rateMin } from '../../play/play-api.ts'
import { tokensText } from '../../play/saved-page.ts'
import type { Session } from '../../play/session.ts'
import { shellWord } from '../../report/shell-word.ts'
import { storyText } from '../../report/terminal-report.ts'
import type { LineReader } from '../terminal.ts'
import type { Conductor } from './conductor.ts'
import { typedAct, typedActLines } from './typed-acts.ts'
import { wordsOf } from './words.ts'

interface PromptParts {
  readonly session: Session
  readonly conductor: Conductor
  readonly status: () => PlayStatus
  readonly out: (text: string) => void
  /** Writes a file; false: it cannot be written, which was reported. */
  readonly save: (file: string, text: string) => Promise<boolean>
}

type Run = (words: readonly string[]) => Promise<string> | string

interface Typed {
  readonly usage: string
  readonly about: string
  readonly run: Run
}

const storyShown = 20

/** The commands of `svc-sim play --terminal`, one line each. */
export class Prompt {
  readonly #parts: PromptParts
  readonly #commands: Readonly<Record<string, Typed>>
  #isOver = false

  constructor(parts: PromptParts) {
    this.#parts = parts
    const { session, conductor } = parts
    this.#commands = {
      help: { usage: 'help', about: 'this list', run: () => this.#help() },
      status: { usage: 'status', about: 'the time, and what every agent is', run: () => statusText(parts.status()) },
      step: {
        usage: 'step 10 | step 10ms',
        about: 'let 10 events happen, or 10 ms pass; then time stands still',
        run: ([much = '1', ...rest]) => (rest.length > 0 ? this.#wrong('step') : this.#step(much)),
      },
      run: {
        usage: 'run 5s',
        about: 'let 5 s pass as fast as the machine can; then time stands still',
        run: ([span = '', ...rest]) => (rest.length > 0 ? this.#wrong('run') : this.#pass(span, 'run')),
      },
      pause: { usage: 'pause', about: 'time stands still', run: () => this.#setPace(true) },
      resume: { usage: 'resume', about: 'time passes at the rate', run: () => this.#setPace(false) },
      rate: { usage: 'rate 2', about: 'virtual seconds in a second', run: ([rate = '']) => this.#rate(rate) },
      put: { usage: 'put KEY VALUE', about: 'write a key', run: (words) => this.#key('put', words, 2) },
      get: { usage: 'get KEY', about: 'read a key', run: (words) => this.#key('get', words, 1) },
      curl: {
        usage: 'curl NODE [METHOD] /v1/… [BODY]',
        about: 'send a request, and show the answer',
        run: (words) => this.#curl(words),
      },
      svc: {
        usage: 'svc NODE members',
        about: 'run a command of svc against an agent',
        run: ([node, ...args]) =>
          node === undefined || args.length === 0 ? this.#wrong('svc') : this.#svc(node, args),
      },
      acts: {
        usage: 'acts',
        about: 'your acts so far',
        run: () =>
          parts
            .status()
            .acts.map(({ number, atUs, text }) => `${number}  ${storyTime(atUs)}  ${text}`)
            .join('\n'),
      },
      undo: {
        usage: 'undo [ACT]',
        about: 'go back to before the last act, or the act of that number',
        run: ([number]) => this.#undo(number),
      },
      back: { usage: 'back 3s', about: 'go back by 3 s', run: ([span = '']) => this.#back(span) },
      story: { usage: 'story', about: `the last ${storyShown} lines of what happened`, run: () => storyEnd(session) },
      save: {
        usage: 'save FILE',
        about: 'write a scenario that repeats the session',
        run: async ([file]) => (file === undefined ? this.#wrong('save') : this.#save(file)),
      },
      hash: {
        usage: 'hash',
        about: 'the hash of the trace so far',
        run: () => conductor.between(() => session.world.hash),
      },
      quit: {
        usage: 'quit',
        about: 'end, with the verdict of the invariants',
        run: () => {
          this.#isOver = true
          return ''
        },
      },
    }
  }

  /** Runs until `quit`, or the end of the input. */
  async run(lines: LineReader): Promise<void> {
    while (!this.#isOver) {
      const line = await lines.next()
      if (line === undefined) return
      const text = await this.#typed(line)
      if (text !== '') this.#parts.out(`${text.trimEnd()}\n`)
    }
  }

  async #typed(line: string): Promise<string> {
    const words = wordsOf(line)
    if (!words.ok) return words.error
    const [command, ...rest] = words.value
    if (command === undefined || command.startsWith('#')) return ''
    const act = typedAct(command, rest)
    if (act !== undefined) {
      const done = act.ok ? await this.#parts.conductor.act(act.value) : act
      if (!done.ok) return done.error
      return `${storyTime(done.value.act.place.atUs)}  ${done.value.act.text}`
    }
    const known = Object.hasOwn(this.#commands, command) ? this.#commands[command] : undefined
    if (known !== undefined) return known.run(rest)
    const meant = nearest(command, [
      ...Object.keys(this.#commands),
      ...typedActLines.map(([usage]) => usage.split(' ')[0] ?? ''),
    ])
    return `there is no '${command}': ${meant === undefined ? 'help lists the commands' : `did you mean '${meant}'?`}`
  }

  #help(): string {
    const own = Object.values(this.#commands).map(({ usage, about }) => [usage, about] as const)
    const all = [...own, ...typedActLines]
    return all.map(([usage, about]) => `${usage.padEnd(44)}${about}`).join('\n')
  }

  #wrong(command: string): string {
    return `write: ${this.#commands[command]?.usage ?? command}`
  }

  #step(much: string): Promise<string> | string {
    if (!/^\d{1,6}$/.test(much)) return this.#pass(much, 'step')
    return Number(much) === 0 ? this.#wrong('step') : this.#stepped({ events: Number(much) })
  }

  #pass(span: string, command: string): Promise<string> | string {
    const ms = millisecondsOf(span)
    return ms === undefined ? this.#wrong(command) : this.#stepped({ ms })
  }

  async #stepped(step: { readonly events: number } | { readonly ms: number }): Promise<string> {
    const done = await this.#parts.conductor.step(step)
    return done.ok ? this.#now() : done.error
  }

  #now(): string {
    const { world, events } = this.#parts.session
    return `${storyTime(world.nowUs)}  after ${events} events`
  }

  #setPace(paused: boolean): string {
    this.#parts.conductor.setPace({ paused })
    return paused ? this.#now() : `${this.#parts.conductor.pace.rate} virtual seconds in a second`
  }

  #rate(text: string): string {
    const rate = Number(text)
    if (!(rate >= rateMin && rate <= rateMax)) return `a rate is from ${rateMin} to ${rateMax}`
    this.#parts.conductor.setPace({ rate, paused: false })
    return `${rate} virtual seconds in a second`
  }

  async #key(verb: 'put' | 'get', words: readonly string[], count: number): Promise<string> {
    if (words.length !== count) return this.#wrong(verb)
    const node = this.#parts.session.nodes.at(-1) ?? ''
    return this.#svc(node, ['kv', verb, ...words])
  }

  async #svc(at: string, args: readonly string[]): Promise<string> {
    const asked = await this.#parts.conductor.ask({ svc: { at, args } })
    if (!asked.ok) return asked.error
    const { told } = asked.value
    if (told?.kind !== 'svc') return 'it has not ended within a virtual minute, and goes on'
    const { code, out, error } = told.answer
    return `${out}${error}${code === 0 ? '' : `exit code ${code}`}`
  }

  async #curl(words: readonly string[]): Promise<string> {
    const [at, first = '', ...rest] = words
    const [method, target = '', body] = first.startsWith('/') ? ['GET', first, rest[0]] : [first.toUpperCase(), ...rest]
    if (at === undefined || !target.startsWith('/')) return this.#wrong('curl')
    const http = { at, request: `${method} ${target}`, ...(body === undefined ? {} : { body }) }
    const asked = await this.#parts.conductor.ask({ http })
    if (!asked.ok) return asked.error
    const { told, tookUs } = asked.value
    if (told?.kind !== 'http') return 'no answer within a virtual minute'
    if (typeof told.answer === 'string') return `no answer: ${noAnswerWords(told.answer)}`
    return `${told.answer.status} after ${(tookUs / 1000).toFixed(1)} ms\n${told.answer.body}`
  }

  async #undo(number: string | undefined): Promise<string> {
    if (number !== undefined && !/^[1-9]\d{0,5}$/.test(number)) return this.#wrong('undo')
    const undone = await this.#parts.conductor.undo(number === undefined ? { last: true } : { act: Number(number) })
    return undone.ok ? this.#now() : undone.error
  }

  async #back(span: string): Promise<string> {
    const ms = millisecondsOf(span)
    if (ms === undefined) return this.#wrong('back')
    const toUs = Math.max(0, this.#parts.session.world.nowUs - Math.round(ms * 1000))
    const undone = await this.#parts.conductor.undo({ toUs })
    return undone.ok ? this.#now() : undone.error
  }

  async #save(file: string): Promise<string> {
    const text = await this.#parts.conductor.between(() => this.#parts.session.saved())
    if (!(await this.#parts.save(file, text))) return 'it is not saved'
    const secrets = this.#parts.session.actsWithTokens
    return `saved: svc-sim run ${shellWord(file)} repeats it${secrets === 0 ? '' : `; ${tokensText(secrets)}`}`
  }
}

/** Above zero; undefined: the text is not a span of time. */
function millisecondsOf(span: string): number | undefined {
  const parsed = parseDuration(span)
  return parsed.ok && parsed.value > 0 ? parsed.value : undefined
}

function storyTime(us: number): string {
  return `${(us / 1_000_000).toFixed(3)} s`
}

function storyEnd({ world }: Session): string {
  return world.story.lines.slice(-storyShown).map(storyText).join('\n')
}

function statusText({ nowUs, events, paused, rate, agents, cuts, failure }: PlayStatus): string {
  const rows = agents.map(({ name, is, role, term, release, httpPort, dnsPort, troubles, lastError }) => {
    const part = role === null ? '' : `${role}, term ${term}`
    const wrong = [...troubles, ...(lastError === null ? [] : [lastError])].join(', ')
    return `${name.padEnd(5)}${is.padEnd(8)}${part.padEnd(20)}${release.padEnd(8)}http ${httpPort}  dns ${dnsPort}  ${wrong}`.trimEnd()
  })
  return [
    `${storyTime(nowUs)}  after ${events} events, ${paused ? 'time stands still' : `rate ${rate}`}`,
    ...rows,
    ...(cuts.length === 0 ? [] : [`cut: ${cuts.map((pair) => pair.join('-')).join(' ')}`]),
    ...(failure === null ? [] : [`broken at ${storyTime(failure.atUs)}: ${failure.text}`]),
  ].join('\n')
}
