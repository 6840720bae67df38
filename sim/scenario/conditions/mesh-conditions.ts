import { z } from 'zod'
import { formatDuration } from '../../../src/base/duration.ts'
import { countBound, duration } from '../../notation/fields.ts'
import { condition, judgeCount } from './condition.ts'

const meshBounds = z
  .strictObject({
    datacenter: z
      .string()
      .min(1)
      .optional()
      .describe(
        'The datacenter of the authority and the proxies. If absent: the authority of the first one, and all proxies.',
      ),
    roots: countBound.optional().describe('Number of listed roots.'),
    rotation: z
      .enum(['none', 'begun', 'requested', 'crossed'])
      .optional()
      .describe(
        'The stage of the rotation: none is in progress; it has begun; the new root has been requested; the old root has signed it.',
      ),
    rotations: countBound.optional().describe('Number of rotations that have ended with a new root.'),
    connections: countBound.optional().describe('Number of handshakes between proxies.'),
    leaves: countBound.optional().describe('Number of leaves that proxies received.'),
    proxies: z
      .literal('current')
      .optional()
      .describe('current: every proxy has a leaf of the active root and knows all listed roots.'),
  })
  .describe('The certificate authority of the mesh, as it is in the replicated state.')

export const mesh = condition(
  meshBounds,
  (bound, now) => {
    const mesh = now.mesh(bound.datacenter)
    if (mesh === undefined) return 'the scenario has no proxies that observe the mesh'
    if (bound.rotation !== undefined && bound.rotation !== mesh.rotation) return `rotation: ${mesh.rotation}`
    return (
      judgeCount(bound.roots, mesh.roots, 'roots') ??
      judgeCount(bound.rotations, mesh.rotations, 'rotations') ??
      judgeCount(bound.connections, mesh.connections, 'connections') ??
      judgeCount(bound.leaves, mesh.leaves, 'leaves') ??
      (bound.proxies === undefined ? undefined : mesh.behind()[0])
    )
  },
  { isDear: true },
)

const tunnelBounds = z
  .strictObject({
    made: countBound.optional().describe('Number of new connections that succeeded.'),
    failed: countBound
      .optional()
      .describe('Number of new connections that failed between pairs that had connected before.'),
    'failing for at most': duration
      .optional()
      .describe(
        'The longest time for which new connections of one pair failed: from the first failure to the next success.',
      ),
    broken: countBound.optional().describe('Number of open connections that broke.'),
  })
  .describe("The connections of 'tunnels', all groups together.")

export const tunnels = condition(tunnelBounds, (bound, { tunnels }) => {
  const { made, failed, broken, longestMs, lastWhy } = tunnels
  const mostMs = bound['failing for at most'] ?? Number.POSITIVE_INFINITY
  const why = lastWhy === '' ? '' : ` (${lastWhy})`
  if (longestMs > mostMs) return `new connections failed for ${formatDuration(longestMs)}${why}`
  return (
    judgeCount(bound.made, made, 'connections made') ??
    judgeCount(bound.failed, failed, `connections failed${why}`) ??
    judgeCount(bound.broken, broken, `connections broken${why}`)
  )
})
