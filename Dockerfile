# SPDX-License-Identifier: Apache-2.0
# docker build -t fathom .
# docker run --rm fathom predict radix-msd -n 2^28 --type u64 --device h200
# docker run --rm --gpus all -v fathom:/root fathom calibrate       # the volume keeps profiles and compiled kernels
# docker run --rm -v "$PWD:/work" fathom report -o fathom.html      # files are those of /work
FROM nvidia/cuda:13.0.1-devel-ubuntu24.04 AS build
ENV DEBIAN_FRONTEND=noninteractive
# git names the commit in `fathom --version`.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git
COPY . /src
WORKDIR /src
RUN scripts/prepare
RUN cmake --preset release -DFATHOM_TESTS=OFF && cmake --build --preset release
RUN cmake --install build/release --prefix /opt/fathom --strip

FROM ubuntu:24.04
ENV DEBIAN_FRONTEND=noninteractive
RUN apt-get update && \
    apt-get install -y --no-install-recommends gnuplot-nox libboost-context1.83.0 libfmt9 libmuparser2v5 python3-venv && \
    rm -rf /var/lib/apt/lists/*
# NVIDIA's run-time compiler and disassembler: the driver's libraries come with --gpus.
ENV VIRTUAL_ENV=/opt/cuda
RUN python3 -m venv $VIRTUAL_ENV && $VIRTUAL_ENV/bin/pip install --no-cache-dir nvidia-cuda-nvrtc nvidia-cuda-nvdisasm
COPY --from=build /opt/fathom /opt/fathom
ENV PATH=/opt/fathom/bin:$PATH
WORKDIR /work
ENTRYPOINT ["fathom"]
