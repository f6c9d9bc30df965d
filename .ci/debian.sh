#!/usr/bin/env bash
# What clients of other languages need beside Node: installed as root where it is absent, else named.
set -u

# debian PACKAGE COMMAND...: installs a Debian package where the command fails.
debian() {
  local package="$1"
  shift
  if "$@" >/dev/null 2>&1; then return; fi
  if [[ "$(id -u)" -eq 0 ]] && command -v apt-get >/dev/null; then
    echo "installing $package"
    apt-get update -q >/dev/null && apt-get install -q -y --no-install-recommends "$package" >/dev/null
  else
    echo "missing: $package (install it as root)"
  fi
}

debian python3 python3 --version
debian python3-venv python3 -c 'import venv, ensurepip'
debian default-jdk-headless javac -version
debian maven mvn -version
debian chromium chromium --version
debian bzip2 bzip2 --help
# Programs alone: the package would make a cluster and start it.
if [[ ! -e /usr/lib/postgresql/15/bin/postgres && "$(id -u)" -eq 0 && -d /etc ]]; then
  mkdir -p /etc/postgresql-common
  echo 'create_main_cluster = false' >>/etc/postgresql-common/createcluster.conf
fi
debian postgresql-15 /usr/lib/postgresql/15/bin/postgres --version
debian postgresql-client psql --version
debian postgresql-contrib pgbench --version
