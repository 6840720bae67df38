import { hex } from '../../../src/base/bytes.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Closable } from '../../../src/env/async.ts'
import { endpointText, type ListenFailure } from '../../../src/env/net.ts'
import { playPage } from '../../play/play-page.ts'
import { Session } from '../../play/session.ts'
import { withoutDemands } from '../../scenario/demands.ts'
import { type LoadedScenario, usualSeed } from '../../scenario/language/load.ts'
import { readScenario, writeText } from '../files.ts'
import { lessonNamed, type ShelvedLesson, shelvedLessons } from '../lesson/shelf.ts'
import { usualFolder } from '../lesson/work-folder.ts'
import { Front } from '../serve/front.ts'
import { agentsMax, portsOf, portTable } from '../serve/ports.ts'
import { exits, type SimTerminal } from '../terminal.ts'
import { Conductor } from './conductor.ts'
import { Face } from './face.ts'
import { Gate } from './gate.ts'
import { LessonFace } from './lesson-face.ts'
import { LessonRoom } from './lesson-room.ts'
import { OutsideRequests } from './outside-requests.ts'
import { Prompt } from './prompt.ts'
import { playStatus } from './status.ts'

export interface PlayFlags {
  readonly servers?: number
  readonly clients?: number
  readonly seed?: number
  readonly port: number
  readonly rate: number
  readonly paused?: boolean
  readonly terminal?: boolean
  /** Number or name of the lesson whose cluster is played with. */
  readonly lesson?: string
  /** The student's folder. */
  readonly dir?: string
}

/** Every port listens on this address only. */
const host = '127.0.0.1'
const tokenBytes = 16
const name = 'svc-sim play'

/** `svc-sim play`: runs until a signal, or `quit` in the terminal, ends it. The exit code is that of the invariants. */
export async function play(file: string | undefined, flags: PlayFlags, terminal: SimTerminal): Promise<number> {
  const read = await pageOf(file, flags, terminal)
  if (!read.ok) {
    terminal.error(`${read.error}\n`)
    return exits.usage
  }
  const { loaded, lesson } = read.value
  const isTyped = flags.terminal === true
  const { build, createPlatform, gzip } = terminal
  const seed = flags.seed ?? lesson?.lesson.run.seed ?? usualSeed(loaded)
  const session = new Session({ loaded, seed, build, createPlatform, ...(isTyped ? {} : { gzip }) })
  return new Playing(session, { seed, lesson: lesson?.name }, flags, terminal).run()
}

/** The page of the cluster, and the lesson to which it belongs. */
interface PlayedPage {
  readonly loaded: LoadedScenario
  readonly lesson?: ShelvedLesson
}

async function pageOf(
  file: string | undefined,
  { servers, clients, lesson }: PlayFlags,
  terminal: SimTerminal,
): Promise<Result<PlayedPage, string>> {
  const isCounted = servers !== undefined || clients !== undefined
  if (lesson !== undefined) {
    if (file !== undefined || isCounted) return err('the lesson says what the cluster is: give --lesson alone')
    return await pageOfLesson(lesson, terminal)
  }
  if (file === undefined) return ok({ loaded: playPage({ servers, clients }) })
  if (isCounted) return err('the scenario says what the cluster is: give either it or --servers and --clients')
  return await pageIn(file, terminal)
}

async function pageOfLesson(named: string, terminal: SimTerminal): Promise<Result<PlayedPage, string>> {
  const lessons = await shelvedLessons(terminal)
  if (!lessons.ok) return err(lessons.error.join('\n'))
  const found = lessonNamed(lessons.value, named)
  if (!found.ok) return found
  const page = await pageIn(`${found.value.folder}/${found.value.lesson.run.page}`, terminal)
  return page.ok ? ok({ ...page.value, lesson: found.value }) : page
}

async function pageIn(file: string, { disk }: SimTerminal): Promise<Result<PlayedPage, string>> {
  const read = await readScenario(disk, file)
  return read.ok ? ok({ loaded: withoutDemands(read.value.loaded) }) : err(read.error.join('\n'))
}

/** What the page says of the cluster. */
interface PlayedAs {
  readonly seed: number
  readonly lesson: string | undefined
}

class Playing {
  readonly #session: Session
  readonly #as: PlayedAs
  readonly #flags: PlayFlags
  readonly #terminal: SimTerminal
  readonly #front: Front
  readonly #conductor: Conductor
  readonly #open: Closable[] = []

  constructor(session: Session, as: PlayedAs, flags: PlayFlags, terminal: SimTerminal) {
    const { host: env, wallMs } = terminal
    this.#session = session
    this.#as = as
    this.#flags = flags
    this.#terminal = terminal
    const onGoneBack = (): void => this.#front.giveUp('the world went back to before this was asked')
    const { rate, paused = false } = flags
    this.#conductor = new Conductor({ session, host: env, wallMs, rate, paused, onGoneBack })
    this.#front = new Front({ env, cluster: new OutsideRequests(this.#conductor), name })
  }

  async run(): Promise<number> {
    const { onSignal, error } = this.#terminal
    const problem =
      this.#session.nodes.length > agentsMax
        ? `play has ports for ${agentsMax} agents: use a smaller cluster`
        : await this.#begin()
    if (problem !== undefined) {
      error(`${problem}\n`)
      this.#close()
      this.#session.world.drop()
      return exits.usage
    }
    const end = (): void => this.#conductor.stop()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) this.#open.push(onSignal(signal, end))
    const typed = this.#flags.terminal === true ? this.#type(end) : undefined
    await this.#conductor.run()
    this.#close()
    await typed
    return this.#verdict()
  }

  /** Why it cannot begin; undefined: every port is open. */
  async #begin(): Promise<string | undefined> {
    await this.#session.begin()
    this.#conductor.setPace({})
    const refused = (failure: ListenFailure): string =>
      `cannot listen on ${endpointText(failure.at)} (${failure.kind}): give another --port`
    for (const [at, node] of this.#session.nodes.entries()) {
      const opened = await this.#front.open(node, host, portsOf(this.#flags.port, at))
      if (!opened.ok) return refused(opened.error)
    }
    if (this.#flags.terminal !== true) {
      const failed = await this.#serve()
      if (failed !== undefined) return refused(failed)
    }
    this.#terminal.out(portTable(host, this.#flags.port, this.#session.nodes))
    return undefined
  }

  async #serve(): Promise<ListenFailure | undefined> {
    const { host: env, playPage: pageOfPlay, out } = this.#terminal
    const { port } = this.#flags
    const token = hex(env.crypto.randomBytes(tokenBytes))
    const hosts = [`${host}:${port}`, `localhost:${port}`]
    const status = () => this.#status()
    const face = new Face({ session: this.#session, conductor: this.#conductor, status })
    const lessons = new LessonFace(new LessonRoom(this.#terminal, this.#flags.dir ?? usualFolder))
    const gate = new Gate({ face, lessons, token, hosts, page: pageOfPlay() })
    const served = await env.http.serve({ host, port }, (request) => gate.handle(request))
    if (!served.ok) return served.error
    this.#open.push(served.value)
    out(`open http://${host}:${port}/#token=${token}\n`)
    return undefined
  }

  #status() {
    return playStatus({
      session: this.#session,
      ...this.#as,
      hasLessons: true,
      build: this.#terminal.build,
      pace: () => this.#conductor.pace,
      requests: () => this.#front.counts,
      portsOf: (at) => portsOf(this.#flags.port, at),
    })
  }

  async #type(end: () => void): Promise<void> {
    const { out, readLines } = this.#terminal
    const save = (file: string, text: string) => writeText(this.#terminal, file, text)
    const parts = { session: this.#session, conductor: this.#conductor, status: () => this.#status(), out, save }
    const lines = readLines('play> ')
    this.#open.push(lines)
    await new Prompt(parts).run(lines)
    end()
  }

  #close(): void {
    this.#front.close()
    for (const each of this.#open.splice(0)) each.close()
  }

  async #verdict(): Promise<number> {
    const { out, error } = this.#terminal
    const seconds = (this.#session.world.nowUs / 1_000_000).toFixed(1)
    const broken = this.#session.world.failure()?.text ?? (await this.#session.end())
    const came = `${this.#session.acts.length} acts in ${seconds} virtual s`
    if (broken !== undefined) error(`${broken}\n`)
    out(broken === undefined ? `every invariant held: ${came}\n` : `FAILED after ${came}\n`)
    return broken === undefined ? exits.passed : exits.failed
  }
}
