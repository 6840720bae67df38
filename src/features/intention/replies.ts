import { arePairs, isIndex, isNumber, isOneOf, isText, listOfAll, membersAre } from '../contract/reply.ts'
import type { IntentionRow } from './model.ts'
import type { Place } from './place.ts'

const isPlace = membersAre<Place>({ namespace: isText, name: isText })

export const isIntention = membersAre<IntentionRow>({
  id: isText,
  source: isPlace,
  destination: isPlace,
  action: isOneOf('allow', 'deny'),
  description: isText,
  meta: arePairs,
  defaultAddress: isText,
  defaultPort: isNumber,
  createdMs: isNumber,
  updatedMs: isNumber,
  createIndex: isIndex,
  modifyIndex: isIndex,
})

export const areIntentions = listOfAll(isIntention)
