# SPDX-License-Identifier: Apache-2.0
ExUnit.start(timeout: 600_000)
