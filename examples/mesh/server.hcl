# A server whose cluster has a mesh. The block counts on servers; what stands in ca_config only at the first start of the mesh.
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
