import { flag, list, object, text } from '../http/json-body.ts'

/** Bodies of requests. Members that the service sets itself (hashes, times, indexes) are accepted and ignored. */

const link = object({ ID: text, Name: text })

export const tokenBody = object({
  AccessorID: text,
  SecretID: text,
  Description: text,
  Policies: list(link),
  Local: flag,
  Rules: text,
  Type: text,
})

export const cloneBody = object({ Description: text })

export const policyBody = object({ ID: text, Name: text, Description: text, Rules: text, Datacenters: list(text) })

export const legacyBody = object({ ID: text, Name: text, Type: text, Rules: text })

export const agentTokenBody = object({ Token: text })
