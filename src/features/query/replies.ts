import { z } from 'zod'
import { areHealthEntries } from '../catalog/replies.ts'
import {
  arePairs,
  checkedWith,
  isFlag,
  isIndex,
  isNumber,
  isText,
  listOfAll,
  membersAre,
  orNull,
} from '../contract/reply.ts'
import type { QueryRow, ServiceQuery } from './model.ts'

/** Schemas of what servers answer about queries. */

const texts = orNull(listOfAll(isText))

const isSearch = membersAre<ServiceQuery>({
  service: isText,
  failover: membersAre<ServiceQuery['failover']>({ nearestN: isNumber, datacenters: texts }),
  onlyPassing: isFlag,
  ignoreCheckIds: texts,
  near: isText,
  tags: texts,
  nodeMeta: orNull(arePairs),
  connect: isFlag,
})

export const isQuery = membersAre<QueryRow>({
  id: isText,
  name: isText,
  session: isText,
  token: isText,
  template: membersAre<QueryRow['template']>({ type: isText, regexp: isText, removeEmptyTags: isFlag }),
  service: isSearch,
  dns: membersAre<QueryRow['dns']>({ ttl: isText }),
  createIndex: isIndex,
  modifyIndex: isIndex,
})

const unknown = z.object({ kind: z.literal('unknown') })
const unusable = z.object({ kind: z.literal('unusable'), line: z.string() })
const found = z.object({ kind: z.literal('found'), query: checkedWith(isQuery) })

export const resolvedReply = z.union([unknown, unusable, found])

export const executedReply = z.union([
  unknown,
  unusable,
  found.extend({
    entries: checkedWith(areHealthEntries),
    near: z.string(),
    distances: z.array(z.number()).nullable(),
    byAddress: z.boolean().exactOptional(),
  }),
])
