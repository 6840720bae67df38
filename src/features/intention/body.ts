import { lowerAscii } from '../../base/letter-case.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { ownNameFor, type ProductNames } from '../../model/naming/names.ts'
import { integer, members, object, text } from '../http/json-body.ts'
import { defaultNamespace, type Place, placeOf } from './place.ts'
import type { IntentionSaid } from './validation.ts'

/** Members that the service sets itself (precedence, times, indexes) are accepted and ignored. */
export const intentionBody = object({
  ID: text,
  Description: text,
  SourceNS: text,
  SourceName: text,
  DestinationNS: text,
  DestinationName: text,
  SourceType: text,
  Action: text,
  DefaultAddr: text,
  DefaultPort: integer,
  Meta: members(text),
})

type Body = ReturnType<typeof intentionBody>

export const authorizeBody = object({ Target: text, ClientCertURI: text, ClientCertSerial: text })

/** Clients may send other names of the product. */
export function saidIn(body: Body, names: ProductNames): IntentionSaid {
  const { SourceNS, SourceName, DestinationNS, DestinationName, SourceType, Action, Description, Meta } = body
  return {
    source: { namespace: SourceNS || defaultNamespace, name: SourceName },
    destination: { namespace: DestinationNS || defaultNamespace, name: DestinationName },
    sourceType: SourceType === '' ? names.naming.name : ownNameFor(SourceType, names),
    action: Action,
    description: Description,
    meta: Meta,
    defaultAddress: body.DefaultAddr,
    defaultPort: body.DefaultPort,
  }
}

const uuidLength = 36

/** The ID of an intention in a path. The error is the text that clients of the field know. */
export function intentionIdOf(given: string): Result<string, string> {
  if (given.length === uuidLength) return ok(lowerAscii(given))
  return err('failed intention lookup: index error: UUID must be 36 characters')
}

/** `parameter` names the value in errors. The error is the text that clients of the field know. */
export function placeGiven(parameter: 'name' | 'source' | 'destination', given: string): Result<Place, string> {
  const place = placeOf(given)
  if (place !== undefined) return ok(place)
  return err(`${parameter} ${JSON.stringify(given)} is invalid: input can contain at most one '/'`)
}
