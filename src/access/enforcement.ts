import { hasBehaviour, isAtLeast, type Release } from '../model/release.ts'
import type { Authorizer, Resource, Right } from './authorizer.ts'

/** Whether a rule of this kind is required at all. */
export type Enforcement = (resource: Resource, right: Right) => boolean

/** The release that brought `acl_enforce_version_8`. Reference: releases.md#rel-0.7.2-1. */
const version8Since: Release = { major: 0, minor: 7, patch: 2 }

/**
 * The rules that a release requires. `enforceVersion8` is `acl_enforce_version_8` of the configuration; absent, the
 * release decides. Keys, access control itself and intentions have always required rules. Spec: ACL-003, ACL-006,
 * ACL-012, ACL-018, ACL-020.
 */
export function enforcementOf(release: Release, enforceVersion8?: boolean): Enforcement {
  const byDefault = hasBehaviour(release, 'rules-of-version-8')
  const version8 = isAtLeast(release, version8Since) && (enforceVersion8 ?? byDefault)
  const writesServices = hasBehaviour(release, 'registrations-need-a-rule')
  const readsServices = hasBehaviour(release, 'reads-need-a-rule')
  const eventsAndKeyring = hasBehaviour(release, 'events-and-keyring-need-a-rule')
  const queries = hasBehaviour(release, 'queries-need-a-rule')
  return (resource, right) => {
    switch (resource) {
      case 'acl':
      case 'intention':
      case 'key':
        return true
      case 'service':
        return right === 'write' ? writesServices : readsServices
      case 'event':
      case 'keyring':
        return eventsAndKeyring
      case 'query':
        return queries
      case 'agent':
      case 'node':
      case 'operator':
      case 'session':
        return version8
    }
  }
}

/** The same rights, with everything allowed that requires no rule. */
export function enforcedBy(enforces: Enforcement, authorizer: Authorizer): Authorizer {
  return {
    accessor: authorizer.accessor,
    // Looked up when asked: whether a token may do everything costs a look at all of its rules.
    get unrestricted() {
      return authorizer.unrestricted
    },
    allows: (resource, name, right) => !enforces(resource, right) || authorizer.allows(resource, name, right),
    readsAll: (resource) => !enforces(resource, 'read') || authorizer.readsAll(resource),
    writesTree: (prefix) => authorizer.writesTree(prefix),
    explain: (resource, name, right) =>
      enforces(resource, right)
        ? authorizer.explain(resource, name, right)
        : { allowed: true, by: { kind: 'not-enforced' } },
  }
}
