import type { Result } from '../../../src/base/result.ts'
import type { HttpRequest, HttpResponse } from '../../../src/env/http.ts'
import { type GivenAct, shownAct } from '../../play/acts-done.ts'
import { noAnswerWords } from '../../play/answer-words.ts'
import type {
  PlayActed,
  PlayAnswer,
  PlayCommand,
  PlayCommandResult,
  PlayConfiguration,
  PlayDeed,
  PlayOverview,
  PlayPace,
  PlayPiece,
  PlayRequest,
  PlayStatus,
  PlayStep,
  PlayUndo,
} from '../../play/play-api.ts'
import type { Session } from '../../play/session.ts'
import { storyText } from '../../report/terminal-report.ts'
import { actOf, bodyOf, commandBody, deedBody, paceBody, requestBody, stepBody, undoBody } from './bodies.ts'
import type { Asked, Conductor } from './conductor.ts'
import { answered, orRefused, Refused, said } from './replies.ts'

export interface FaceParts {
  readonly session: Session
  readonly conductor: Conductor
  readonly status: () => PlayStatus
}

/** Requests that are possible when time stands still for good. */
const goesOn: ReadonlySet<string> = new Set(['/undo', '/pace'])

type Answer = (request: HttpRequest, query: ReadonlyMap<string, string>) => Promise<HttpResponse> | HttpResponse

/** The requests to a session that `sim/play/play-api.ts` lists, of callers that may make them: see `Gate`. */
export class Face {
  readonly #parts: FaceParts
  readonly #routes: Readonly<Record<string, Answer>>

  constructor(parts: FaceParts) {
    this.#parts = parts
    const { session, conductor } = parts
    this.#routes = {
      'GET /status': () => answered(parts.status()),
      'GET /overview': () => this.#overview(),
      'GET /piece': (_, query) => this.#piece(query.get('at')),
      'GET /story': () => said(200, storyOf(session)),
      'GET /saved': async () => said(200, await conductor.between(() => session.saved())),
      'GET /configuration': (_, query) => answered(this.#configuration(query.get('node'))),
      'POST /act': async (request) => this.#act(actOf(bodyOf(deedBody, request) as PlayDeed)),
      'POST /command': async (request) => this.#command(bodyOf(commandBody, request) as PlayCommand),
      'POST /request': async (request) => this.#request(bodyOf(requestBody, request) as PlayRequest),
      'POST /pace': (request) => {
        conductor.setPace(bodyOf(paceBody, request) as PlayPace)
        return answered(parts.status())
      },
      'POST /step': async (request) => this.#when(await conductor.step(bodyOf(stepBody, request) as PlayStep), 409),
      'POST /undo': async (request) => this.#when(await conductor.undo(bodyOf(undoBody, request) as PlayUndo), 400),
    }
  }

  /** Never rejects, except for an error of this program. */
  handle(request: HttpRequest): Promise<HttpResponse> {
    return orRefused(async () => {
      const [path = '', query = ''] = request.target.split('?')
      const answer = this.#routes[`${request.method} ${path}`]
      if (answer === undefined) throw new Refused(404, `there is no ${request.method} ${path}: see docs/play.md`)
      if (request.method === 'POST') this.#canNow(path)
      return await answer(request, new Map(pairsOf(query)))
    })
  }

  #canNow(path: string): void {
    const { busy } = this.#parts.session
    if (busy !== undefined) throw new Refused(409, 'the world is being built again: see GET /status')
    const stopped = goesOn.has(path) ? undefined : this.#parts.session.failure()
    if (stopped !== undefined) throw new Refused(409, `time stands still, for ${stopped.text}`)
  }

  #overview(): HttpResponse {
    const { session } = this.#parts
    const overview = session.world.film?.overview()
    if (overview === undefined) throw new Refused(404, 'nothing has happened that could be shown')
    const told: PlayOverview = { ...overview, world: session.number, version: session.version }
    return answered(told)
  }

  #piece(at: string | undefined): HttpResponse {
    const { session } = this.#parts
    const found = /^\d{1,9}$/.test(at ?? '') ? session.world.film?.piece(Number(at)) : undefined
    if (found === undefined || found === '') throw new Refused(404, 'there is no such piece: /piece?at=0')
    const world = session.number
    const piece: PlayPiece = typeof found === 'string' ? { world, packed: found } : { world, open: found }
    return answered(piece)
  }

  #configuration(node: string | undefined): PlayConfiguration {
    const { session } = this.#parts
    if (node === undefined || !session.nodes.includes(node))
      throw new Refused(404, `there is no such agent: there are ${session.nodes.join(', ')}`)
    return { node, config: { ...session.world.run.cluster.settingsOf(node) } }
  }

  async #act(given: GivenAct): Promise<HttpResponse> {
    const done = taken(await this.#parts.conductor.act(given))
    const told: PlayActed = { act: shownAct(done.act, done.number - 1), text: done.act.text }
    return answered(told)
  }

  async #command({ node, args, input }: PlayCommand): Promise<HttpResponse> {
    const svc = { at: node, args, ...(input === undefined ? {} : { input }) }
    const { act, number, told, tookUs } = taken(await this.#parts.conductor.ask({ svc }))
    const answer = told?.kind === 'svc' ? told.answer : { code: null, out: '', error: '' }
    const result: PlayCommandResult = { act: shownAct(act, number - 1), ...answer, tookUs }
    return answered(result)
  }

  async #request({ node, method, target, headers, body }: PlayRequest): Promise<HttpResponse> {
    const more = { ...(headers === undefined ? {} : { headers }), ...(body === undefined ? {} : { body }) }
    const asked = await this.#parts.conductor.ask({ http: { at: node, request: `${method} ${target}`, ...more } })
    return answered(answerOf(taken(asked)))
  }

  #when(done: Result<undefined, string>, status: number): HttpResponse {
    if (!done.ok) throw new Refused(status, done.error)
    return answered(this.#parts.status())
  }
}

/** The whole story so far, as text. */
function storyOf({ world }: Session): string {
  const { forgotten, lines } = world.story
  const gone = forgotten === 0 ? [] : [`(${forgotten} earlier lines are gone)`]
  return `${[...gone, ...lines.map(storyText)].join('\n')}\n`
}

function answerOf({ act, number, told, tookUs }: Asked): PlayAnswer {
  const common = { act: shownAct(act, number - 1), tookUs }
  const answer = told?.kind === 'http' ? told.answer : 'no answer within a virtual minute'
  if (typeof answer === 'string') return { ...common, status: 0, headers: [], body: noAnswerWords(answer) }
  return { ...common, status: answer.status, headers: [...answer.headers], body: answer.body }
}

function taken<T>(result: Result<T, string>): T {
  if (!result.ok) throw new Refused(400, result.error)
  return result.value
}

function pairsOf(query: string): readonly (readonly [string, string])[] {
  return query.split('&').flatMap((pair) => {
    const [name = '', value = ''] = pair.split('=', 2)
    return name === '' ? [] : [[name, value] as const]
  })
}
