import { utf8 } from '../../../src/base/bytes.ts'
import type { Result } from '../../../src/base/result.ts'
import type { HttpRequest, HttpResponse } from '../../../src/env/http.ts'
import { bodyOf, lessonCheckBody, lessonRunBody, lessonStartBody } from './bodies.ts'
import type { LessonRoom } from './lesson-room.ts'
import { answered, guards, Refused } from './replies.ts'

/** Before the secret part of the address of a picture, which stands for the token: a browser opens it in a tab. */
const pictures = '/picture/'

/** The requests about lessons that `sim/play/lessons-api.ts` lists. */
export class LessonFace {
  readonly #room: LessonRoom
  readonly #routes: Readonly<Record<string, (request: HttpRequest) => Promise<Result<object, string>>>>

  constructor(room: LessonRoom) {
    this.#room = room
    this.#routes = {
      'GET /lessons': () => room.list(),
      'POST /lesson/start': async (request) => room.start(bodyOf(lessonStartBody, request).name),
      'POST /lesson/run': async (request) => room.run(bodyOf(lessonRunBody, request)),
      'POST /lesson/check': async (request) => room.check(bodyOf(lessonCheckBody, request)),
    }
  }

  /** Undefined: the request is not about lessons. Rejects with `Refused` where it cannot be done. */
  async handle(request: HttpRequest): Promise<HttpResponse | undefined> {
    const route = this.#routes[`${request.method} ${request.target}`]
    if (route === undefined) return undefined
    const done = await route(request)
    if (!done.ok) throw new Refused(400, done.error)
    return answered(done.value)
  }

  /** For callers without a token. Undefined: the request is not for a picture. */
  async picture({ method, target }: HttpRequest): Promise<HttpResponse | undefined> {
    if (method !== 'GET' || !target.startsWith(pictures)) return undefined
    const picture = await this.#room.picture(target.slice(pictures.length))
    if (picture === undefined) throw new Refused(404, 'this picture is gone: run the lesson again')
    return { status: 200, headers: [['Content-Type', 'text/html; charset=utf-8'], ...guards], body: utf8(picture) }
  }
}
