# A server whose cluster has a mesh. Only servers use the block connect, and ca_config has an effect only when the mesh
# starts for the first time.
datacenter       = "dc1"
server           = true
bootstrap_expect = 3
data_dir         = "/var/lib/svc"
bind_addr        = "10.0.0.1"
retry_join       = ["10.0.0.1", "10.0.0.2", "10.0.0.3"]

connect {
  enabled = true
  ca_config {
    leaf_cert_ttl = "72h"
  }
}
