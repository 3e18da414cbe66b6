// SPDX-License-Identifier: Apache-2.0
// A library with the one function of NVRTC by which Fathom refuses it: it is too old.
extern "C" int nvrtcVersion(int* major, int* minor) {
  *major = 12;
  *minor = 4;
  return 0;
}
