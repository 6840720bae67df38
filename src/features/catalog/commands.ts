import { z } from 'zod'
import type { DeregisterRequest, RegisterAllRequest, RegisterRequest } from '../../model/catalog.ts'
import { type Release, releaseOf } from '../../model/release.ts'
import {
  type CommandDefinition,
  forgottenRefusal,
  rememberedRefusalMax,
  withShortRefusal,
} from '../contract/command.ts'
import { removeCheck, removeNode, removeService } from './changes.ts'
import { catalogFields } from './fields.ts'
import { carryOutAll, carryOutRegistration, registrationRefusal } from './registration.ts'
import { checkOfNode, nodeByName, serviceOfNode } from './views.ts'

const first: Release = { major: 0, minor: 1, patch: 0 }
const bodies = catalogFields('strict', 'without-mesh')
const meshBodies = catalogFields('strict')

/** Applies all of the registration or nothing. A refusal contains the message that clients of the field know. */
export const catalogRegister: CommandDefinition<RegisterRequest, { readonly refusal: string | null }> = {
  kind: 'catalog.register',
  outcome: z.object({ refusal: z.string().nullable() }),
  since: first,
  body: bodies.registerRequest,
  apply: (tx, body) => {
    const refusal = registrationRefusal(tx, body)
    if (refusal === null) carryOutRegistration(tx, body)
    return { refusal }
  },
  remembered: withShortRefusal,
}

/** The same for a service of the mesh: servers of older releases would not know its mesh members. */
export const catalogRegisterMesh: typeof catalogRegister = {
  ...catalogRegister,
  kind: 'catalog.register-mesh',
  since: releaseOf('mesh'),
  body: meshBodies.registerRequest,
}

/**
 * Returns the message for each refused offer, or null if it was applied. One log entry registers many offers of one
 * agent.
 */
export const catalogRegisterAll: CommandDefinition<RegisterAllRequest, readonly (string | null)[]> = {
  kind: 'catalog.register-all',
  outcome: z.array(z.string().nullable()),
  since: first,
  body: bodies.registerAllRequest,
  apply: carryOutAll,
  remembered: (refusals) =>
    refusals.reduce((sum, refusal) => sum + (refusal?.length ?? 0), 0) <= rememberedRefusalMax
      ? refusals
      : refusals.map((refusal) => (refusal === null ? null : forgottenRefusal)),
}

/** The same if one of the services is of the mesh. */
export const catalogRegisterAllMesh: typeof catalogRegisterAll = {
  ...catalogRegisterAll,
  kind: 'catalog.register-all-mesh',
  since: releaseOf('mesh'),
  body: meshBodies.registerAllRequest,
}

/** What does not exist counts as deregistered. */
export const catalogDeregister: CommandDefinition<DeregisterRequest, boolean> = {
  kind: 'catalog.deregister',
  outcome: z.boolean(),
  since: first,
  body: bodies.deregisterRequest,
  apply: (tx, { node, serviceId, checkId }) => {
    if (serviceId !== '') {
      const service = serviceOfNode(tx, node, serviceId)
      if (service !== undefined) removeService(tx, service)
    } else if (checkId !== '') {
      const check = checkOfNode(tx, node, checkId)
      if (check !== undefined) removeCheck(tx, check)
    } else {
      const known = nodeByName(tx, node)
      if (known !== undefined) removeNode(tx, known)
    }
    return true
  },
}
