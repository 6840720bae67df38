import { equalBytes, utf8 } from '../../../src/base/bytes.ts'
import type { HttpRequest, HttpResponse } from '../../../src/env/http.ts'
import type { Face } from './face.ts'
import type { LessonFace } from './lesson-face.ts'
import { guards, orRefused, Refused, said } from './replies.ts'

export interface GateParts {
  readonly face: Face
  readonly lessons: LessonFace
  /** Every request but those for the page and for a picture must carry it. */
  readonly token: string
  /** Valid values of `Host`: the interface is for this machine only, under no other name. */
  readonly hosts: readonly string[]
  /** The page; undefined: this program was built without it. */
  readonly page: string | undefined
}

/** What stands between a port of this machine and the face of a session: it gives out the page, and asks for the token. */
export class Gate {
  readonly #parts: GateParts

  constructor(parts: GateParts) {
    this.#parts = parts
  }

  /** Never rejects, except for an error of this program. */
  handle(request: HttpRequest): Promise<HttpResponse> {
    return orRefused(async () => {
      if (!this.#parts.hosts.includes(request.headers.get('host') ?? ''))
        throw new Refused(403, 'the name of this host is not one of this machine')
      const [path] = request.target.split('?')
      if (request.method === 'GET' && path === '/') return this.#page()
      const { face, lessons } = this.#parts
      const picture = await lessons.picture(request)
      if (picture !== undefined) return picture
      this.#authorize(request)
      return (await lessons.handle(request)) ?? (await face.handle(request))
    })
  }

  #authorize({ headers }: HttpRequest): void {
    const given = utf8(headers.get('authorization') ?? '')
    if (!equalBytes(given, utf8(`Bearer ${this.#parts.token}`)))
      throw new Refused(401, 'this needs the token of the session: Authorization: Bearer TOKEN')
  }

  #page(): HttpResponse {
    const { page } = this.#parts
    if (page === undefined)
      return said(200, 'This program was built without its page: use --terminal, or docs/play.md.\n')
    return { status: 200, headers: [['Content-Type', 'text/html; charset=utf-8'], ...guards], body: page }
  }
}
