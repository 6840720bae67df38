/**
 * Keys that typed clients of the field read from `DebugConfig`, by the type that they parse each as. `N` stands for the
 * capitalised name of the product.
 */
export const debugKeys: Readonly<Record<'text' | 'url' | 'urls' | 'number' | 'flag' | 'texts' | 'object', string>> = {
  text: `
    ACLAgentMasterToken ACLAgentToken ACLDatacenter ACLDefaultPolicy ACLDisabledTTL ACLDownPolicy ACLMasterToken
    ACLPolicyTTL ACLReplicationToken ACLToken ACLTokenTTL AEInterval AdvertiseAddrLAN AdvertiseAddrWAN
    AutopilotLastContactThreshold AutopilotRedundancyZoneTag AutopilotServerStabilizationTime
    AutopilotUpgradeVersionTag BindAddr CAFile CAPath CertFile CheckDeregisterIntervalMin CheckReapInterval
    CheckUpdateInterval ConnectCAProvider ConnectProxyDefaultExecMode ConnectReplicationToken
    NCoordinateUpdatePeriod NRaftElectionTimeout NRaftHeartbeatTimeout NRaftLeaderLeaseTimeout
    NServerHealthInterval DNSDomain DNSMaxStale DNSNodeTTL DNSRecursorTimeout DataDir Datacenter DiscoveryMaxStale
    EncryptKey GossipLANGossipInterval GossipLANProbeInterval GossipLANProbeTimeout GossipWANGossipInterval
    GossipWANProbeInterval GossipWANProbeTimeout KeyFile LeaveDrainTime LogFile LogLevel LogRotateDuration NodeID
    NodeName PidFile PrimaryDatacenter RPCHoldTimeout RaftSnapshotInterval ReconnectTimeoutLAN ReconnectTimeoutWAN
    RetryJoinIntervalLAN RetryJoinIntervalWAN Revision SegmentName ServerName SessionTTLMin
    SyncCoordinateIntervalMin SyslogFacility TLSMinVersion UIDir UnixSocketGroup UnixSocketMode UnixSocketUser
    Version VersionPrerelease`,
  url: 'RPCAdvertiseAddr RPCBindAddr SerfAdvertiseAddrLAN SerfAdvertiseAddrWAN SerfBindAddrLAN SerfBindAddrWAN',
  urls: 'DNSAddrs GRPCAddrs HTTPAddrs HTTPSAddrs',
  number: `
    AutopilotMaxTrailingLogs BootstrapExpect ConnectProxyBindMaxPort ConnectProxyBindMinPort ConnectSidecarMaxPort
    ConnectSidecarMinPort NCoordinateUpdateBatchSize NCoordinateUpdateMaxBatches DNSARecordLimit DNSPort
    DNSUDPAnswerLimit GRPCPort GossipLANGossipNodes GossipLANRetransmitMult GossipLANSuspicionMult
    GossipWANGossipNodes GossipWANRetransmitMult GossipWANSuspicionMult HTTPPort HTTPSPort LogRotateBytes RPCMaxBurst
    RPCProtocol RPCRateLimit RaftProtocol RaftSnapshotThreshold RetryJoinMaxAttemptsLAN RetryJoinMaxAttemptsWAN
    SegmentLimit SegmentNameLimit SerfPortLAN SerfPortWAN ServerPort SyncCoordinateRateTarget`,
  flag: `
    ACLEnableKeyListPolicy ACLEnforceVersion8 ACLTokenReplication ACLsEnabled AutopilotCleanupDeadServers
    AutopilotDisableUpgradeMigration Bootstrap ConnectEnabled ConnectProxyAllowManagedAPIRegistration
    ConnectProxyAllowManagedRoot ConnectTestDisableManagedProxies DNSAllowStale DNSDisableCompression
    DNSEnableTruncate DNSNodeMetaTXT DNSOnlyPassing DevMode DisableAnonymousSignature DisableCoordinates
    DisableHTTPUnprintableCharFilter DisableHostNodeID DisableKeyringFile DisableRemoteExec DisableUpdateCheck
    DiscardCheckOutput EnableAgentTLSForChecks EnableDebug EnableLocalScriptChecks EnableRemoteScriptChecks
    EnableSyslog EnableUI EncryptVerifyIncoming EncryptVerifyOutgoing LeaveOnTerm NonVotingServer RejoinAfterLeave
    ServerMode SkipLeaveOnInt TLSPreferServerCipherSuites TranslateWANAddrs VerifyIncoming VerifyIncomingHTTPS
    VerifyIncomingRPC VerifyOutgoing VerifyServerHostname`,
  texts: `
    ClientAddrs ConnectProxyDefaultDaemonCommand ConnectProxyDefaultScriptCommand DNSRecursors HTTPBlockEndpoints
    RetryJoinLAN RetryJoinWAN Segments StartJoinAddrsLAN StartJoinAddrsWAN TLSCipherSuites Checks Services Watches`,
  object: 'ConnectCAConfig DNSSOA DNSServiceTTL HTTPResponseHeaders NodeMeta TaggedAddresses Telemetry',
}

/** Keys of the sections of `Stats` of a server that leads; `N` is the product's own section. */
export const statsKeys: Readonly<Record<string, string>> = {
  agent: 'check_monitors check_ttls checks services',
  build: 'prerelease revision version',
  N: 'acl bootstrap known_datacenters leader leader_addr server',
  raft: `applied_index commit_index fsm_pending last_contact last_log_index last_log_term last_snapshot_index
    last_snapshot_term latest_configuration latest_configuration_index num_peers protocol_version
    protocol_version_max protocol_version_min snapshot_version_max snapshot_version_min state term`,
  runtime: 'arch cpu_count goroutines max_procs os version',
  serf_lan: `coordinate_resets encrypted event_queue event_time failed health_score intent_queue left member_time
    members query_queue query_time`,
}
