import { translateRules, translation } from '../../../access/translate.ts'
import { textOf } from '../../../base/bytes.ts'
import { permissionDenied } from '../../contract/access.ts'
import type { ReadMeta } from '../../contract/reading.ts'
import { declared, failed, failedRead, type Route, type RouteResponse } from '../../contract/route.ts'
import type { WithAccess, WithQueries, WithRights, WithSelf, WithServerCalls } from '../../contract/route-context.ts'
import type { WithEnv, WithRelease } from '../../contract/surroundings.ts'
import { inTurns } from '../../contract/turns.ts'
import { indexHeaders, readParameters, textAnswer } from '../../http/declared.ts'
import { areLarge } from '../asked.ts'
import { type AclRequest, badShape, type Entered, newAclAnswers, whereKnown } from '../route-checks.ts'
import { tokenInPath } from '../tokens/token-places.ts'

/** The part of the route context that these routes use. */
type TranslateContext = WithEnv & WithRelease & WithQueries & WithServerCalls & WithRights & WithAccess & WithSelf

/** Reference: access-control.md#translation-of-rules. */
export const translateRoutes: readonly Route<TranslateContext>[] = [
  {
    path: '/v1/acl/rules/translate',
    operations: {
      POST: declared({
        summary: 'Legacy rules in the new grammar',
        access: { asks: 'acl:read' },
        query: readParameters,
        body: { about: 'Rules of the legacy grammar, HCL or JSON.', required: false },
        answers: newAclAnswers(textAnswer(200, 'The rules, in HCL.')),
        handle: whereKnown(translateGiven),
      }),
    },
  },
  {
    path: '/v1/acl/rules/translate/',
    rest: { name: 'accessor', about: 'Accessor ID of a legacy token.', secret: true },
    operations: {
      GET: declared({
        summary: 'Rules of a legacy token in the new grammar',
        access: { asks: 'acl:read' },
        query: readParameters,
        answers: newAclAnswers(
          textAnswer(200, 'The rules, in HCL.', indexHeaders),
          textAnswer(403, 'There is no such token.', indexHeaders),
        ),
        handle: whereKnown(translateOfToken),
      }),
    },
  },
]

/** Works in both modes: it changes nothing, and reads no token but the caller's. */
async function translateGiven(context: WithEnv & WithRights, request: AclRequest): Promise<RouteResponse> {
  const authorizer = await context.authorizer(request.call)
  if (!authorizer.ok) return failed(authorizer.error)
  if (!authorizer.value.allows('acl', '', 'read')) return failed(permissionDenied())
  return translated(context, textOf(request.body))
}

async function translateOfToken(
  context: TranslateContext,
  request: AclRequest,
  entry: Entered,
): Promise<RouteResponse> {
  const read = await tokenInPath(context, request, entry)
  if ('response' in read) return read.response
  const { found, meta } = read
  if (found.rules !== '') return translated(context, found.rules, meta)
  return failedRead({ kind: 'refused', message: 'The specified token does not have any rules set' }, meta)
}

async function translated({ env }: WithEnv, rules: string, meta?: ReadMeta): Promise<RouteResponse> {
  const text = areLarge(rules) ? await inTurns(env, translation(rules)) : translateRules(rules)
  if (!text.ok) return badShape(text.error)
  return { kind: 'text', text: text.value, status: 200, ...(meta === undefined ? {} : { meta }) }
}
