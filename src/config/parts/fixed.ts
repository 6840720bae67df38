import type { Naming } from '../../model/naming/naming.ts'
import type { Shown } from './values.ts'

/**
 * Values of the field's configuration that no setting changes, as `/v1/agent/self` shows them: typed clients of the
 * field read every key. Parts of the field's commercial edition are shown as in the open one.
 *
 * Reference: configuration.md#fixed-values.
 */
export function shownFixed(naming: Naming): Shown {
  return {
    ACLDisabledTTL: '2m0s',
    AEInterval: '1m0s',
    AutopilotUpgradeVersionTag: '',
    CheckDeregisterIntervalMin: '1m0s',
    CheckReapInterval: '30s',
    ConnectProxyDefaultScriptCommand: [],
    ConnectReplicationToken: '',
    ConnectTestDisableManagedProxies: false,
    // The agent neither queries nor reports to a service that announces newer releases.
    DisableAnonymousSignature: true,
    DisableHostNodeID: true,
    DisableUpdateCheck: true,
    NonVotingServer: false,
    Revision: '',
    SegmentLimit: 64,
    SegmentName: '',
    SegmentNameLimit: 64,
    Segments: [],
    SyncCoordinateIntervalMin: '15s',
    SyncCoordinateRateTarget: 64,
    VersionPrerelease: '',
    [`${naming.title}CoordinateUpdateBatchSize`]: 128,
    [`${naming.title}CoordinateUpdateMaxBatches`]: 5,
    [`${naming.title}CoordinateUpdatePeriod`]: '5s',
    [`${naming.title}ServerHealthInterval`]: '2s',
  }
}
