/** What an agent answers about tokens and policies, and how the command line shows it. */
export const accessor = '47851ad2-0000-0000-0000-000000000001'
export const policyId = '136846bc-0000-0000-0000-000000000001'
export const token = {
  AccessorID: accessor,
  SecretID: '54c9fda5-0000-0000-0000-000000000001',
  Description: 't1',
  Policies: [{ ID: policyId, Name: 'p1' }],
  Local: false,
  CreateTime: '2026-11-21T03:25:52.029071608Z',
  Hash: 'rBcRM26tYGxXMdaJ8K2jsdawwCQm3OjXoTAxbl7E0XE=',
  CreateIndex: 18,
  ModifyIndex: 19,
}
const { SecretID: _, ...withoutSecret } = token
export const stub = withoutSecret
export const policy = {
  ...{ ID: policyId, Name: 'p1', Description: 'd', Rules: 'service_prefix "" { policy = "read" }' },
  ...{
    Datacenters: ['dc1', 'dc2'],
    Hash: 's7MqNgz0oX/pR64t9EJIRbvx2GW+XqoYmUuGFLiFgnA=',
    CreateIndex: 20,
    ModifyIndex: 21,
  },
}

export const tokenBlock = `AccessorID:   ${accessor}
SecretID:     ${token.SecretID}
Description:  t1
Local:        false
Create Time:  2026-11-21 03:25:52.029071608 +0000 UTC
Policies:
   ${policyId} - p1
`
export const metaLines = `Hash:         ac1711336ead606c5731d689f0ada3b1d6b0c02426dce8d7a130316e5ec4d171
Create Index: 18
Modify Index: 19
`
export const policyBlock = `ID:           ${policyId}
Name:         p1
Description:  d
Datacenters:  dc1, dc2
Rules:
service_prefix "" { policy = "read" }
`
