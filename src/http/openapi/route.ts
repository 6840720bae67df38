import { z } from 'zod'
import type { Env } from '../../env/env.ts'
import { declared } from '../../features/contract/declared.ts'
import type { Route } from '../../features/contract/route.ts'
import { jsonAnswer } from '../../features/http/declared-answers.ts'
import { type OpenApiDocument, openApiDocument } from './document.ts'

/** A route table with one more route, which describes them all. The document is made when it is first requested. */
export function withDocument(routes: readonly Route[], version: string): readonly Route[] {
  let document: Promise<OpenApiDocument> | undefined
  const own: Route = {
    path: '/v1/openapi.json',
    operations: {
      GET: declared({
        summary: 'This document',
        access: { open: 'what the API is, is no secret' },
        answers: [jsonAnswer('OpenAPI 3.1.', z.looseObject({ openapi: z.string() }))],
        handle: async ({ env }) => {
          document ??= inSteps(env, openApiDocument(all, version))
          return { kind: 'json', value: await document }
        },
      }),
    },
  }
  const all: readonly Route[] = [...routes, own]
  return all
}

/** Between two steps whatever else is due has its turn. */
async function inSteps<T>(env: Env, steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    const next = env.deferred<void>()
    env.timers.after(0, () => next.resolve())
    await next.promise
  }
}
