import { lowerAscii } from '../../base/letter-case.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { decodeBody, flag, integer, list, nullable, object, text, textPairs } from '../http/json-body.ts'
import { sessionIdOf } from '../session/model.ts'
import type { QueryDefinition } from './model.ts'

const texts = nullable(list(text))

export const queryBody = object({
  ID: text,
  Name: text,
  Session: text,
  Token: text,
  Template: object({ Type: text, Regexp: text, RemoveEmptyTags: flag }),
  Service: object({
    Service: text,
    Failover: object({ NearestN: integer, Datacenters: texts }),
    OnlyPassing: flag,
    IgnoreCheckIDs: texts,
    Near: text,
    Tags: texts,
    NodeMeta: textPairs,
    Connect: flag,
  }),
  DNS: object({ TTL: text }),
})

export interface QueryGiven {
  /** The ID in the body; an update takes it from the path. */
  readonly id: string
  readonly definition: QueryDefinition
}

/** Parses the body of a creation or an update. Reference: prepared-queries.md#query-object. */
export function queryGiven(body: Uint8Array): Result<QueryGiven, Failure> {
  const decoded = decodeBody(body, queryBody)
  if (!decoded.ok) return decoded
  const { ID, Name, Session, Token, Template, Service, DNS } = decoded.value
  const session = Session === '' ? ok('') : sessionIdOf(Session)
  if (!session.ok) return err({ kind: 'bad-request', message: session.error })
  const definition: QueryDefinition = {
    name: Name,
    session: session.value,
    token: Token,
    template: { type: Template.Type, regexp: Template.Regexp, removeEmptyTags: Template.RemoveEmptyTags },
    service: {
      service: Service.Service,
      failover: { nearestN: Service.Failover.NearestN, datacenters: Service.Failover.Datacenters },
      onlyPassing: Service.OnlyPassing,
      ignoreCheckIds: Service.IgnoreCheckIDs,
      near: Service.Near,
      tags: Service.Tags,
      nodeMeta: Service.NodeMeta,
      connect: Service.Connect,
    },
    dns: { ttl: DNS.TTL },
  }
  return ok({ id: ID, definition })
}

const uuidLength = 36

/** The ID of a query in a path. The error is the text that clients of the field know. */
export function queryIdOf(given: string): Result<string, string> {
  if (given.length === uuidLength) return ok(lowerAscii(given))
  return err('failed prepared query lookup: index error: UUID must be 36 characters')
}
