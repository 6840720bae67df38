import type { Authorizer } from '../../access/authorizer.ts'
import type { CatalogCheck, CatalogNode, CatalogService, TextPairs } from '../../model/catalog.ts'
import { greater, type ModifyIndex, noChange } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { byRow, newestOf, type Sight } from '../contract/visible-index.ts'
import { checksSeenBy, seesNode, seesService } from '../discovery/sight.ts'
import {
  allServices,
  checksOfInstance,
  checksOfNode,
  departuresIndex,
  instancesOf,
  looksLikeId,
  nodeByName,
  nodeByNameOrId,
  nodesIndex,
  servicesOfNode,
  waysTo,
} from './views.ts'

/** The index at which the part of the catalog that a caller may see last changed (`../contract/visible-index.ts`). */

export function seesCatalog(authorizer: Authorizer): boolean {
  return authorizer.readsAll('node') && authorizer.readsAll('service')
}

export interface InstancesAsked {
  readonly service: string
  readonly connect?: boolean | undefined
}

/** For reads of one service: its instances with their nodes, regardless of tags and metadata in the request. */
export function instancesSight<Args>(
  asked: (args: Args) => InstancesAsked | undefined,
  { checks, ...own }: { readonly checks: boolean } & Partial<Pick<Sight<Args, unknown>, 'floor'>>,
): Sight<Args, unknown> {
  return byRow({
    all: seesCatalog,
    newest: (authorizer, state, args) => {
      const wanted = asked(args)
      return wanted === undefined ? noChange : newestInstance(authorizer, state, wanted, checks)
    },
    floor: departuresIndex,
    ...own,
  })
}

/** With `checks`: includes the checks that are shown with an instance. */
export function newestInstance(
  authorizer: Authorizer,
  state: ReadTransaction,
  { service, connect = false }: InstancesAsked,
  checks: boolean,
): ModifyIndex {
  let newest = noChange
  if (connect && !seesService(authorizer, service)) return newest
  for (const instance of connect ? waysTo(state, service) : instancesOf(state, service)) {
    if (!seesNode(authorizer, instance.node) || !seesService(authorizer, instance.service)) continue
    newest = greater(newest, instance.modifyIndex, nodeByName(state, instance.node)?.modifyIndex ?? noChange)
    if (!checks) continue
    newest = greater(newest, newestOf(checksOfInstance(state, instance.node, '')))
    newest = greater(newest, newestOf(checksOfInstance(state, instance.node, instance.id)))
  }
  return newest
}

/** For lists of checks; `nodeMeta`: only checks of nodes with these pairs were requested, so that their nodes count. */
function newestCheck(
  authorizer: Authorizer,
  state: ReadTransaction,
  checks: Iterable<CatalogCheck>,
  nodeMeta: TextPairs | undefined,
): ModifyIndex {
  let newest = noChange
  for (const { node, modifyIndex } of checksSeenBy(authorizer, [...checks])) {
    newest = greater(newest, modifyIndex)
    if (nodeMeta !== undefined) newest = greater(newest, nodeByName(state, node)?.modifyIndex ?? noChange)
  }
  return newest
}

/** For a list of checks. */
export function checksSight<Args>(
  asked: (state: ReadTransaction, args: Args) => Iterable<CatalogCheck>,
  {
    nodeMeta,
    ...own
  }: { nodeMeta?(args: Args): TextPairs | undefined } & Partial<Pick<Sight<Args, unknown>, 'floor'>> = {},
): Sight<Args, unknown> {
  return byRow({
    all: seesCatalog,
    newest: (authorizer, state, args) => newestCheck(authorizer, state, asked(state, args), nodeMeta?.(args)),
    floor: departuresIndex,
    ...own,
  })
}

/** For a node, with the items on it of the kinds that are shown with it. */
function newestOnNode(authorizer: Authorizer, state: ReadTransaction, node: CatalogNode | undefined, checks: boolean) {
  if (node === undefined || !seesNode(authorizer, node.node)) return noChange
  const services = [...servicesOfNode(state, node.node)].filter(({ service }) => seesService(authorizer, service))
  const newest = greater(node.modifyIndex, newestOf(services))
  return checks ? greater(newest, newestOf(checksSeenBy(authorizer, [...checksOfNode(state, node.node)]))) : newest
}

/** For one node, by name. */
export const nodeSight: Sight<{ readonly node: string }, unknown> = byRow({
  all: seesCatalog,
  newest: (authorizer, state, args) => newestOnNode(authorizer, state, nodeByName(state, args.node), true),
  floor: departuresIndex,
})

/** For one node by its name or ID. The node of an ID changes only with the table of nodes, including hidden ones. */
export const nodeOrIdSight: Sight<{ readonly node: string }, unknown> = byRow({
  all: seesCatalog,
  newest: (authorizer, state, args) => newestOnNode(authorizer, state, nodeByNameOrId(state, args.node), false),
  floor: (state, { node }) => greater(departuresIndex(state), looksLikeId(node) ? nodesIndex(state) : noChange),
})

interface OverviewRows {
  readonly node: CatalogNode
  readonly services: readonly CatalogService[]
  readonly checks: readonly CatalogCheck[]
}

/** Instances of all services, and their nodes. */
export const allInstancesSight: Sight<unknown, unknown> = byRow({
  all: seesCatalog,
  newest: (authorizer, state) => {
    let newest = noChange
    for (const { node: name, service, modifyIndex } of allServices(state)) {
      if (!seesNode(authorizer, name) || !seesService(authorizer, service)) continue
      newest = greater(newest, modifyIndex, nodeByName(state, name)?.modifyIndex ?? noChange)
    }
    return newest
  },
  floor: departuresIndex,
})

/** For whole nodes, all visible ones. */
export const overviewSight: Sight<unknown, readonly OverviewRows[]> = byRow({
  all: seesCatalog,
  newest: (_authorizer, _state, _args, seen) => {
    let newest = noChange
    for (const { node, services, checks } of seen) {
      newest = greater(newest, node.modifyIndex, greater(newestOf(services), newestOf(checks)))
    }
    return newest
  },
  floor: departuresIndex,
})
